"""One mapping from a word of state to how it looks: CSS state, label, icon, letter.

Every pill, dot, cell and bar goes through it. A word we do not know is shown raw and neutral.
"""

from dataclasses import dataclass

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from fleets.templatetags.icons import icon

register = template.Library()


@dataclass(frozen=True, slots=True)
class Look:
    """How a word of state is shown: `css` is a `data-state` of base.css."""

    css: str
    label: str
    icon: str
    letter: str = ""


LOOKS: dict[str, Look] = {
    "queued": Look("queued", "Queued", "clock", "Q"),
    "draft": Look("draft", "Draft", "clock", "Q"),
    "scheduled": Look("scheduled", "Scheduled", "clock", "Q"),
    "creating": Look("creating", "Creating", "loader-circle", "Q"),
    "provisioning": Look("creating", "Provisioning", "loader-circle", "Q"),
    "pending": Look("creating", "Pending", "loader-circle", "Q"),
    "starting": Look("starting", "Starting", "loader-circle", "Q"),
    "dispatching": Look("starting", "Sending", "loader-circle", "Q"),
    "running": Look("running", "Running", "play", "R"),
    "waiting": Look("waiting", "Waiting", "hand", "W"),
    "waiting_approval": Look("waiting", "Approval", "hand", "W"),
    "waiting_question": Look("waiting", "Question", "hand", "W"),
    "waiting_plan": Look("waiting", "Plan", "hand", "W"),
    "held": Look("held", "Held", "pause", "H"),
    "frozen": Look("frozen", "Frozen", "snowflake", "H"),
    "cancelling": Look("cancelling", "Cancelling", "loader-circle", "C"),
    "deleting": Look("deleting", "Deleting", "loader-circle", "C"),
    "stopping": Look("cancelling", "Stopping", "loader-circle", "C"),
    "cancelled": Look("cancelled", "Cancelled", "ban", "C"),
    "deleted": Look("deleted", "Deleted", "ban", "C"),
    "gone": Look("deleted", "Gone", "ban", "C"),
    "stopped": Look("cancelled", "Stopped", "ban", "C"),
    "expired": Look("cancelled", "Expired", "ban", "C"),
    "finished": Look("finished", "Finished", "check", "D"),
    "completed": Look("finished", "Completed", "check", "D"),
    "done": Look("finished", "Done", "check", "D"),
    "ended": Look("finished", "Ended", "check", "D"),
    "healthy": Look("healthy", "Healthy", "check", "D"),
    "accepted": Look("finished", "Accepted", "circle-check", "D"),
    "refused": Look("failed", "Refused", "circle-minus", "F"),
    "unchecked": Look("not-started", "Unchecked", "circle-question-mark", "U"),
    "waiting_command": Look("running", "Checking", "terminal", "R"),
    "waiting_person": Look("waiting", "To decide", "hand", "W"),
    "failed": Look("failed", "Failed", "octagon-x", "F"),
    "timed_out": Look("timed-out", "Timed out", "timer-off", "T"),
    "budget_exhausted": Look("budget", "Budget out", "wallet", "B"),
    "soft_limit": Look("soft-limit", "Over soft limit", "wallet", "B"),
    "not_started": Look("not-started", "Not started", "circle-minus", "N"),
    "lost": Look("lost", "Lost", "unplug", "L"),
    "oom": Look("oom", "OOM-killed", "unplug", "L"),
    "unreachable": Look("unreachable", "Unreachable", "unplug", "L"),
    "unknown": Look("unknown", "Unknown", "circle-question-mark", "U"),
    "stale": Look("stale", "Stale", "clock-alert", "U"),
    "degraded": Look("degraded", "Degraded", "clock-alert", "U"),
}


def look(word: str | None) -> Look:
    """How to show a word; None is an unknown outcome, a word never heard of stays as it came."""
    if not word:
        return LOOKS["unknown"]
    known = LOOKS.get(word)
    if known is not None:
        return known
    return Look("queued", word, "circle-question-mark", "U")


register.filter("look", look)


@register.filter
def css_state(word: str | None) -> str:
    """The `data-state` of a word."""
    return look(word).css


@register.filter
def state_label(word: str | None) -> str:
    """The word as people read it."""
    return look(word).label


@register.simple_tag
def pill(word: str | None, label: str = "", count: int | None = None) -> SafeString:
    """Icon, word and colour. `label` replaces the word, `count` goes before it: "3 failed"."""
    shown = look(word)
    text = label or shown.label
    if count is not None:
        text = f"{count:,} {text[:1].lower()}{text[1:]}"
    return format_html(
        '<span class="pill" data-state="{}">{}{}</span>', shown.css, icon(shown.icon), text
    )


@register.simple_tag
def dot(word: str | None, label: str = "") -> SafeString:
    """The quiet form of a pill: icon and word in the colour of the state, no fill."""
    shown = look(word)
    return format_html(
        '<span class="dot" data-state="{}">{}{}</span>',
        shown.css,
        icon(shown.icon),
        label or shown.label,
    )


@register.simple_tag
def state_icon(word: str | None) -> SafeString:
    """Only the picture, for a list whose text says the word."""
    return icon(look(word).icon)
