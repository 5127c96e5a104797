"""Times: one `<time>` element each, in the viewer's zone, kept current by `static/js/times.js`.

The element carries the instant in UTC, so a row rendered once for everybody is right for everybody.
`data-t` tells the browser which form to keep up: ago, age, since, until, clock, clock-ms, moment.
"""

from datetime import UTC, datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

UNKNOWN = "—"
_DAY = timedelta(days=1)


def short_duration(seconds: float) -> str:
    """The largest unit only: `4 s`, `12 min`, `3 h`, `5 d`."""
    whole = max(0, int(seconds))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if whole >= size:
            return f"{whole // size} {unit}"
    return f"{whole} s"


def full_duration(seconds: float) -> str:
    """Two units: `850 ms`, `12.4 s`, `3 m 07 s`, `2 h 14 m`, `3 d 02 h`."""
    if seconds < 0:
        seconds = 0
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for large, small, size, part in (
        ("m", "s", 60, 1),
        ("h", "m", 3_600, 60),
        ("d", "h", 86_400, 3_600),
    ):
        if whole < size * (60 if large == "m" else 24) or large == "d":
            return f"{whole // size} {large} {whole % size // part:02d} {small}"
    raise AssertionError("unreachable: days end the table")


def counting_duration(seconds: float) -> str:
    """A duration that counts by the second: `31 s`, `4 m 31 s`, `2 h 14 m`."""
    whole = max(0, int(seconds))
    return f"{whole} s" if whole < 60 else full_duration(whole)


@register.filter
def duration(seconds: float | timedelta | None) -> str:
    """How long something took, in seconds or as a timedelta."""
    if seconds is None:
        return UNKNOWN
    return full_duration(seconds.total_seconds() if isinstance(seconds, timedelta) else seconds)


def _day(value: datetime) -> str:
    return f"{value.day} {value:%b}"


def _local(value: datetime) -> datetime:
    return timezone.localtime(value)


def _moment(value: datetime) -> str:
    local = _local(value)
    return f"{_day(local)} {local:%Y %H:%M:%S} {local.tzname()}"


def _element(value: datetime, form: str, text: str) -> SafeString:
    instant = value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return format_html(
        '<time datetime="{}" data-t="{}" title="{}">{}</time>', instant, form, _moment(value), text
    )


def _relative(value: datetime, *, suffix: str) -> str:
    distance = timezone.now() - value
    if distance < _DAY:
        return f"{short_duration(distance.total_seconds())}{suffix}"
    local = _local(value)
    return f"{_day(local)} {local:%H:%M}"


@register.simple_tag
def ago(value: datetime | None) -> SafeString:
    """`4 min ago` under 24 hours, else the day and time."""
    return (
        SafeString(UNKNOWN)
        if value is None
        else _element(value, "ago", _relative(value, suffix=" ago"))
    )


@register.simple_tag
def age(value: datetime | None) -> SafeString:
    """`4 min`: for a column whose head says that it is an age."""
    return (
        SafeString(UNKNOWN)
        if value is None
        else _element(value, "age", _relative(value, suffix=""))
    )


@register.simple_tag
def since(value: datetime | None, ended: datetime | None = None) -> SafeString:
    """A running duration that ticks each second; with `ended` it stands still."""
    if value is None:
        return SafeString(UNKNOWN)
    if ended is not None:
        return format_html("<span>{}</span>", duration(ended - value))
    elapsed = (timezone.now() - value).total_seconds()
    return _element(value, "since", counting_duration(elapsed))


@register.simple_tag
def until(value: datetime | None) -> SafeString:
    """A countdown that ticks each second and stops at `0 s`."""
    if value is None:
        return SafeString(UNKNOWN)
    left = (value - timezone.now()).total_seconds()
    return _element(value, "until", counting_duration(left))


@register.simple_tag
def clock(value: datetime | None) -> SafeString:
    """`12:04:31`, for today's events under a date header."""
    if value is None:
        return SafeString(UNKNOWN)
    return _element(value, "clock", f"{_local(value):%H:%M:%S}")


@register.simple_tag
def clock_ms(value: datetime | None) -> SafeString:
    """`12:04:31.204`, where the order of things matters."""
    if value is None:
        return SafeString(UNKNOWN)
    local = _local(value)
    return _element(value, "clock-ms", f"{local:%H:%M:%S}.{local.microsecond // 1000:03d}")


@register.simple_tag
def moment(value: datetime | None) -> SafeString:
    """The whole of it: `29 Nov 2026 12:04:31 UTC`."""
    return SafeString(UNKNOWN) if value is None else _element(value, "moment", _moment(value))
