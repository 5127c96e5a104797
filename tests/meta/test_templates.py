"""Nothing in templates that their loader would spoil."""

import re

from tests.meta import sources

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
