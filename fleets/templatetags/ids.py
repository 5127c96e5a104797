"""Identifiers: shortened in the middle, copied whole."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from fleets.templatetags.icons import icon

register = template.Library()

UNKNOWN = "—"
_HEAD = 8
_TAIL = 4


@register.filter
def short_id(value: str | None) -> str:
    """The identifier with its middle left out: `sbx_7f2a…91e1`; short ones stay whole."""
    if not value:
        return UNKNOWN
    if len(value) <= _HEAD + _TAIL + 1:
        return value
    return f"{value[:_HEAD]}…{value[-_TAIL:]}"


@register.simple_tag
def copy_id(value: str | None, what: str = "id") -> SafeString:
    """A short identifier with its button to copy the whole of it."""
    if not value:
        return SafeString(UNKNOWN)
    return format_html(
        '<span class="id"><code title="{}">{}</code>'
        '<button class="btn" type="button" data-kind="quiet" data-size="sm" data-icon'
        ' data-copy="{}" aria-label="Copy {}">{}</button></span>',
        value,
        short_id(value),
        value,
        what,
        icon("copy"),
    )
