"""What becomes of a fleet's machines after its last task."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from fleetdash import htmx
from fleets.access import get_fleet, role_required, user_of
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed
from fleets.domain.status import Afterwards, Role
from fleets.forms.stop import AfterwardsForm
from fleets.live.tokens import position
from fleets.models import Fleet
from fleets.selectors.fleet_detail import fleet_head
from fleets.services.actor import Actor
from fleets.services.afterwards import change_afterwards
from fleets.views.fleet_detail import fleet_page


@require_POST
@role_required(Role.OPERATOR)
def fleet_afterwards(request: HttpRequest, public_id: str) -> HttpResponse:
    """Change it; "keep them" in the head is this with one word."""
    since = position()
    fleet = get_fleet(user_of(request), public_id)
    try:
        _change(request, fleet)
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except (InvalidInput, Conflict) as error:
        said = {
            "afterwards_problem": error.message,
            "delay": request.POST.get("delay", ""),
        }
        status = 409 if isinstance(error, Conflict) else 422
        return fleet_page(request, fleet, since=since, tab="settings", said=said, status=status)
    if request.headers.get("HX-Request") == "true":
        return _new_meta(request, public_id)
    messages.success(request, "Saved.")
    back = reverse("fleets:fleet_detail", args=[public_id])
    return htmx.redirect(request, f"{back}?tab=settings")


def _change(request: HttpRequest, fleet: Fleet) -> None:
    form = AfterwardsForm(request.POST)
    if not form.is_valid():
        raise InvalidInput.at("delay", str(next(iter(form.errors.values()))[0]))
    delay_s = form.cleaned_data["delay"]
    change_afterwards(
        fleet,
        actor=Actor.of(request),
        after=Afterwards(form.cleaned_data["after"]),
        delay_s=fleet.after_delay_s if delay_s is None else delay_s,
    )


def _new_meta(request: HttpRequest, public_id: str) -> HttpResponse:
    """The line under the head as it is now."""
    fleet = get_fleet(user_of(request), public_id)
    here = reverse("fleets:fleet_detail", args=[public_id])
    html = render_to_string(
        "fleets/_fleet_parts.html#fleet-meta",
        {"head": fleet_head(fleet, now=timezone.now()), "here": here},
        request,
    )
    return HttpResponse(htmx.as_partial("fleet-meta", html), headers={"Cache-Control": "no-store"})
