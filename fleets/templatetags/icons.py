"""Icons from the one sprite, and the favicon of a state."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

SPRITE = "icons/icons.svg"
# One picture per thing an operator wants to see from another tab.
FAVICONS = frozenset({"idle", "running", "waiting", "finished", "failed", "budget", "stopped"})


@register.simple_tag
def icon(name: str, css_class: str = "") -> SafeString:
    """A picture of the sprite, hidden from screen readers: the word beside it speaks."""
    return format_html(
        '<svg class="i{}" aria-hidden="true"><use href="{}#i-{}"/></svg>',
        f" {css_class}" if css_class else "",
        static(SPRITE),
        name,
    )


@register.simple_tag
def favicon_url(name: str) -> str:
    """Address of the tab's picture; an unknown name gets the quiet one."""
    return static(f"icons/favicon-{name if name in FAVICONS else 'idle'}.svg")
