"""The health page: every part, whether it works, and what to know about it."""

from datetime import timedelta
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import role_required
from fleets.domain.health import Part
from fleets.domain.status import Role
from fleets.selectors.health import House, house_health

FRAGMENTS: Final = {"health": "health"}
# Word of state and what people read, by condition.
_LOOKS: Final = {
    "ok": ("healthy", "ok"),
    "slow": ("degraded", "degraded"),
    "unknown": ("unknown", "not heard of"),
    "down": ("failed", "down"),
}
_FAVICONS: Final = {"ok": "idle", "slow": "waiting", "unknown": "waiting", "down": "failed"}


@require_safe
@role_required(Role.VIEWER)
def health(request: HttpRequest) -> HttpResponse:
    """The page; under HTMX what changes of it."""
    house = house_health(now=timezone.now())
    word, label = _LOOKS[house.condition]
    context: dict[str, Any] = {
        "house": house,
        "overall": {"word": word, "label": label},
        "rows": [_row(part, house) for part in house.parts],
        "here": reverse("fleets:health"),
        "page_state": {
            "title": f"Health · {label} · Fleetdash",
            "favicon": _FAVICONS[house.condition],
            "summary": house.sentence,
        },
    }
    return htmx.render(
        request, "health/health.html", context, fragments=FRAGMENTS, oob=("page-state",)
    )


def _row(part: Part, house: House) -> dict[str, Any]:
    word, label = _LOOKS[part.condition]
    heard_at = None
    if part.heard_s is not None:
        heard_at = house.at - timedelta(seconds=part.heard_s)
    return {"part": part, "word": word, "label": label, "heard_at": heard_at}
