"""What was asked for, and beside it, marked, what the platform ran instead."""

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from fleets.domain.asked_and_ran import is_same_model
from fleets.templatetags.icons import icon

register = template.Library()


@register.simple_tag
def asked_model(asked: str, ran: str) -> SafeString:
    """The model; a swapped one with an arrow and a mark."""
    return _shown(asked, "" if not ran or is_same_model(asked, ran) else ran, what="model")


@register.simple_tag
def asked_harness(asked: str, ran: str) -> SafeString:
    """The harness; another one with an arrow and a mark."""
    return _shown(asked, "" if asked == ran else ran, what="harness")


def _shown(asked: str, instead: str, *, what: str) -> SafeString:
    if not instead:
        return escape(asked)
    return format_html(
        '<span class="sub">{} →</span> <span class="tone" data-state="soft-limit"'
        ' title="Another {} than asked for ran: {}">{} {}<span class="vh"> (swapped)</span></span>',
        asked,
        what,
        instead,
        icon("triangle-alert"),
        instead,
    )
