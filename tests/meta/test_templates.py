"""Templates can be read: lines that fit a window, and nothing that their loader would spoil."""

import re

from tests.meta import sources

LONGEST_LINE = 140
TEMPLATES = sources.under("templates", suffix=".html")
# Between these white space is shown; `fleetdash.template_loader` drops indentation.
_PREFORMATTED = re.compile(r"<(pre|textarea)\b.*?</\1>", re.DOTALL)
_INDENTED = re.compile(r"\n[ \t]+")


def _within_preformatted(text: str) -> list[str]:
    """What stands between the tags; line breaks inside the opening tag itself are none of it."""
    return [
        re.sub(r"^<(?:[^>{]|\{[{%].*?[}%]\}|\{)*>", "", found.group(0), flags=re.DOTALL)
        for found in _PREFORMATTED.finditer(text)
    ]


def test_no_line_of_a_template_is_longer_than_a_window() -> None:
    over = {
        f"{path}:{number}": len(line)
        for path in TEMPLATES
        for number, line in enumerate(sources.text(path).splitlines(), 1)
        if len(line) > LONGEST_LINE
    }
    assert over == {}


def test_no_template_indents_what_is_preformatted() -> None:
    spoilt = [
        str(path)
        for path in TEMPLATES
        if any(_INDENTED.search(shown) for shown in _within_preformatted(sources.text(path)))
    ]
    assert spoilt == []


def test_the_look_into_preformatted_text_can_find_something() -> None:
    attributes = '<pre class="{% if a > b %}x{% endif %}"\n    tabindex="0">'
    assert _within_preformatted(f"{attributes}one\ntwo</pre>") == ["one\ntwo</pre>"]
    assert _INDENTED.search(_within_preformatted(f"{attributes}one\n  two</pre>")[0])
