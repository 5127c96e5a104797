"""Money in templates; the rules are in `fleets.domain.money`.

Filters take integers of nanodollars; None is shown as a dash. Where the exact value says more than
the short one it is on hover and on focus.
"""

from collections.abc import Callable

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from fleets.domain import money

register = template.Library()

register.filter("usd", money.show)
register.filter("usd_used", money.show_used)
register.filter("usd_remaining", money.show_remaining)
register.filter("usd_estimate", money.show_estimate)
register.filter("usd_ceiling", money.show_ceiling)
register.filter("usd_limit", money.show_limit)
register.filter("usd_exact", money.show_exact)
register.filter("per_hour", money.show_per_hour)
register.filter("per_minute", money.show_per_minute)

_MOST_EXACT_TOKENS = 9_999
_ROUNDINGS: dict[str, Callable[[int | None], str]] = {
    "cost": money.show,
    "used": money.show_used,
    "remaining": money.show_remaining,
    "limit": money.show_limit,
}


@register.simple_tag
def exact_usd(nusd: int | None, kind: str = "cost") -> SafeString:
    """An amount (`kind`: cost, used, remaining, limit) with its full value on hover and focus."""
    shown = _ROUNDINGS[kind](nusd)
    full = money.show_exact(nusd)
    if nusd is None or shown == full:
        return format_html("<span>{}</span>", shown)
    return format_html('<span title="{}" tabindex="0">{}</span>', full, shown)


@register.filter
def usd_cell(nusd: int | None, decimals: int) -> str:
    """One cell of a column with a fixed number of decimals."""
    return money.show_at_precision(nusd, decimals=decimals)


@register.filter
def tokens(count: int | None) -> str:
    """A number of tokens: exact under 10,000, else `12.3k`, `4.1M`."""
    if count is None:
        return money.UNKNOWN
    if count <= _MOST_EXACT_TOKENS:
        return f"{count:,}"
    if count < 1_000_000:
        return f"{count / 1_000:.1f}k" if count < 999_950 else "1.0M"
    return f"{count / 1_000_000:.1f}M"


@register.filter
def memory(mib: int | None) -> str:
    """An amount of memory in MiB: `512 MiB`, `3.5 GiB`."""
    if mib is None:
        return money.UNKNOWN
    return f"{mib} MiB" if mib < 1024 else f"{mib / 1024:.1f} GiB"
