"""What agents wrote, as HTML that can do nothing: Markdown and terminal output, sanitised.

Agents' HTML is text. No picture is fetched, no address but http, https and mail is a link, and
only the classes of our own palette survive. Both chains end in an allow-list.
"""

import json
import re
from functools import lru_cache
from typing import Any, Final

import nh3
from ansi2html import Ansi2HTMLConverter
from django import template
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

from fleets.domain.hostile_text import MESSAGE_BYTES, OUTPUT_BYTES, bounded, one_line, visible
from fleets.templatetags.times import duration

register = template.Library()

SHORT_BYTES: Final = 4 * 1024
# The page has headings of its own; an agent's stand below them, all on one level.
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MARKDOWN_TAGS: Final = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h3", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_MARKDOWN_ATTRIBUTES: Final = {"a": {"href", "title"}, "ol": {"start"}}
_ANSI_CLASSES: Final = {
    f"ansi{number}" for number in (1, 2, 3, 4, 9, *range(30, 38), *range(90, 98))
}

# Everything a terminal obeys but colours: titles, links, cursor moves, clearing.
_NOT_COLOURS = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[PX^_].*?(?:\x1b\\|$)"
    r"|\x1b\[[0-?]*[ -/]*[@-ln-~]"
    r"|\x1b(?!\[[0-9;:]*m)[^\[]?",
    re.DOTALL,
)
# Longer colour codes are no colours of anybody's, only work.
_LONG_CODE = re.compile(r"\x1b\[[0-9;:]{40,}m")


def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": 20})
    return parser.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])


_PARSER: Final = _markdown()
_TERMINAL: Final = Ansi2HTMLConverter(inline=False, linkify=False, escaped=True)


@register.filter
def agent_markdown(text: str | None) -> SafeString:
    """At most 64 KB of an agent's Markdown."""
    shown, _ = bounded(text or "", limit_bytes=MESSAGE_BYTES)
    return _rendered(shown)


@lru_cache(maxsize=256)
def _rendered(text: str) -> SafeString:
    tokens = _PARSER.parse(visible(text))
    for token in tokens:
        token.tag = "h3" if token.tag in _HEADINGS else token.tag
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return SafeString(
        nh3.clean(
            html,
            tags=_MARKDOWN_TAGS,
            attributes=_MARKDOWN_ATTRIBUTES,
            url_schemes={"http", "https", "mailto"},
            url_relative="deny",
            link_rel="noopener noreferrer nofollow",
        )
    )


@register.filter
def command_output(text: str | None) -> SafeString:
    """At most 256 KB of a command's output; colours by class, everything else as text."""
    shown, _ = bounded(text or "", limit_bytes=OUTPUT_BYTES)
    plain = _LONG_CODE.sub("", _NOT_COLOURS.sub("", shown))
    html = _TERMINAL.convert(visible(plain, keep_escapes=True), full=False)
    return SafeString(
        nh3.clean(
            html.replace("\x1b", "\ufffd"),
            tags={"span"},
            attributes={},
            allowed_classes={"span": _ANSI_CLASSES},
        )
    )


@register.filter
def plain_text(text: str | None) -> str:
    """At most 64 KB as it was written, hiding characters made visible; escaped by the template."""
    return visible(bounded(text or "", limit_bytes=MESSAGE_BYTES)[0])


@register.filter
def as_json(value: Any) -> str:
    """A value as JSON for people, at most 256 KB; escaped by the template."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return visible(bounded(text, limit_bytes=OUTPUT_BYTES)[0])


@register.filter
def as_short_json(value: Any) -> str:
    """As `as_json`, at most 4 KB."""
    shown, rest = bounded(as_json(value), limit_bytes=SHORT_BYTES)
    return f"{shown}…" if rest else shown


@register.filter
def as_line(value: Any) -> str:
    """A value as the start of its JSON, on one line."""
    return one_line(json.dumps(value, ensure_ascii=False, default=str))


@register.filter
def milliseconds(count: int | None) -> str:
    """A duration that is known in milliseconds."""
    return duration(None if count is None else count / 1000)


@register.filter
def summary_line(text: str | None) -> str:
    """The start of a text as one line."""
    return one_line(text or "")


@register.filter
def message_rest(text: str | None) -> int:
    """Bytes of a message that are not shown."""
    return bounded(text or "", limit_bytes=MESSAGE_BYTES)[1]


@register.filter
def output_rest(text: str | None) -> int:
    """Bytes of an output that are not shown."""
    return bounded(text or "", limit_bytes=OUTPUT_BYTES)[1]
