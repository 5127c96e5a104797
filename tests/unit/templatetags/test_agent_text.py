"""What agents write is hostile: nothing of it acts, hides or is fetched."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.hostile_text import OUTPUT_BYTES, bounded, one_line, visible
from fleets.templatetags.agent_text import (
    agent_markdown,
    as_json,
    command_output,
    message_rest,
    milliseconds,
    output_rest,
)

TAG = re.compile(r"<(/?)([a-z0-9]+)([^>]*)>")
HARMLESS = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h3", "table", "thead", "tbody", "tr", "th", "td", "span",
}  # fmt: skip


def acts(html: str) -> list[str]:
    """Every tag, attribute or address in the HTML that could do something."""
    found = []
    for _, name, attributes in TAG.findall(html):
        rest = re.sub(r'\s(?:href|title|rel|start|class)="[^"]*"', "", attributes).strip(" /")
        if name not in HARMLESS or rest:
            found.append(f"{name} {attributes}")
        addresses = re.findall(r'href="([^"]*)"', attributes)
        found += [one for one in addresses if not one.startswith(("http:", "https:", "mailto:"))]
    return found


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<a href='javascript:alert(1)'>x</a>",
    "<style>body{display:none}</style>",
    "<form action='/account' method=post><button>ok</button></form>",
    "<div hx-get='/account' hx-trigger='load'>",
    "<hx-partial hx-target='#main'>gone</hx-partial>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "[x](/fleets/one/delete)",
    "[x](//evil.example/y)",
    "![pixel](https://evil.example/pixel.png)",
    "![x](javascript:alert(1))",
    "[![x](https://evil.example/p.png)](https://evil.example)",
    "<https://good.example> <javascript:alert(1)>",
    '[x](https://a.example "a\\" onmouseover=\\"alert(1)")',
    "[a]: javascript:alert(1)\n\n[a]",
    "```html\n<script>alert(1)</script>\n```",
    "`<b onclick=x>`",
    "<!-- --><![CDATA[<script>]]>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;",
    "|a|\n|-|\n|<script>alert(1)</script>|",
    "\x1b]8;;javascript:alert(1)\x07click\x1b]8;;\x07",
    "\x1b[31m<script>alert(1)</script>\x1b[0m",
    '\x1b[38;2;1;2;3m"><img src=x onerror=alert(1)>',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_of_an_agent_does_nothing(text: str) -> None:
    html = agent_markdown(text)
    assert acts(html) == []
    assert "<img" not in html
    assert "src=" not in re.sub(r"&[a-z]+;[^<]*", "", html) or "&lt;" in html


@pytest.mark.parametrize("text", HOSTILE)
def test_output_of_a_command_does_nothing(text: str) -> None:
    html = command_output(text)
    assert acts(html) == []
    assert "<a" not in html
    assert "style=" not in re.sub(r"&[^<]*", "", html)


@given(st.text(max_size=400))
def test_whatever_is_written_does_nothing(text: str) -> None:
    assert acts(agent_markdown(text)) == []
    assert acts(command_output(text)) == []


@given(st.text(alphabet="\x1b[]()0123456789;mHJKABCDhlsu?\x07\\ \r\n<>\"'&PX^_", max_size=200))
def test_whatever_a_terminal_is_told_only_colours_are_left(text: str) -> None:
    html = command_output(text)
    assert acts(html) == []
    assert "\x1b" not in html
    assert "\x07" not in html


def test_markdown_still_reads_like_markdown() -> None:
    html = agent_markdown(
        "# Found\n\n**Two** leaks in `a.py`:\n\n- one\n- two\n\n|a|b|\n|-|-|\n|1|2|"
    )
    assert "<h3>Found</h3>" in html
    assert "<strong>Two</strong> leaks in <code>a.py</code>" in html
    assert html.count("<li>") == 2
    assert "<td>1</td>" in html


def test_a_link_leads_out_without_telling_where_from() -> None:
    html = agent_markdown("[docs](https://docs.example/x)")
    assert 'href="https://docs.example/x"' in html
    assert 'rel="noopener noreferrer nofollow"' in html


def test_a_picture_becomes_its_words() -> None:
    html = agent_markdown("![the plan](https://evil.example/p.png)")
    assert "the plan" in html
    assert "<img" not in html


def test_colours_become_classes_and_backgrounds_hide_nothing() -> None:
    html = command_output(
        "\x1b[1;31mred\x1b[0m \x1b[30;40mblack on black\x1b[0m \x1b[8mhidden\x1b[0m"
    )
    assert '<span class="ansi1 ansi31">red</span>' in html
    assert "black on black" in html
    assert "ansi40" not in html
    assert "ansi8" not in html


def test_what_a_terminal_would_do_is_left_out_and_the_words_stay() -> None:
    told = "\x1b[2J\x1b[1;1Hone\x1b]0;title\x07\x1b[10A two\x1bc\rthree"
    assert command_output(told).split() == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202egnp.exe", "a⟨U+202E⟩gnp.exe"),
        ("a\x00b\x07c", "a�b�c"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("\ufeffx\u2066y", "�x⟨U+2066⟩y"),
        ("\tcafé 🙂 中文", "\tcafé 🙂 中文"),
    ],
)
def test_hiding_and_turning_characters_are_seen(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_lone_halves_of_characters_break_nothing() -> None:
    assert bounded("a\ud800b" * 10, limit_bytes=8)[1] > 0
    assert acts(agent_markdown("a\ud800b".encode("utf-8", "replace").decode())) == []


def test_what_is_too_long_is_cut_between_characters_and_the_rest_is_counted() -> None:
    shown, rest = bounded("é" * 10, limit_bytes=5)
    assert (shown, rest) == ("éé", 15)
    assert message_rest("x" * (64 * 1024 + 3)) == 3
    assert output_rest("x" * (OUTPUT_BYTES + 3)) == 3
    assert len(command_output("x" * (OUTPUT_BYTES + 3))) == OUTPUT_BYTES
    assert len(agent_markdown("x" * 100_000)) < 66_000


def test_a_summary_is_one_short_line() -> None:
    assert one_line("a\n\tb\u202ec " + "x" * 400).startswith("a b⟨U+202E⟩c x")
    assert len(one_line("x" * 400)) == 160


def test_values_are_shown_as_json_and_times_as_times() -> None:
    assert as_json({"a": "<b>"}) == '{\n  "a": "<b>"\n}'
    assert (milliseconds(118), milliseconds(None)) == ("118 ms", "—")
