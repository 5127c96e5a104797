"""Runs a fleet again: the sheet with its counts, and the order."""

from typing import Any, Final
from uuid import uuid4

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from fleetdash import htmx
from fleets.access import get_fleet, role_required, user_of
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed, OverLimit
from fleets.domain.status import Role
from fleets.forms.run_again import ALL, MOST_IDS_CHARS, RunAgainForm
from fleets.models import Fleet
from fleets.selectors.run_again import run_again_offer
from fleets.services.actor import Actor
from fleets.services.run_again import run_again

FRAGMENTS: Final = {"dialog": "fleets/_run_again_sheet.html"}


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR)
def fleet_run_again(request: HttpRequest, public_id: str) -> HttpResponse:
    """The sheet; posted, the run is ordered, or the sheet says why not with everything kept."""
    fleet = get_fleet(user_of(request), public_id)
    if request.method != "POST":
        return _sheet(request, fleet)
    form = RunAgainForm(request.POST)
    if not form.is_valid():
        return _sheet(request, fleet, form=form, problem=_first_error(form), status=422)
    try:
        run_again(
            fleet,
            form.order,
            actor=Actor.of(request),
            form_key=form.cleaned_data["form_key"],
        )
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except (InvalidInput, OverLimit) as error:
        words = error.problems[0].message if isinstance(error, InvalidInput) else error.message
        return _sheet(request, fleet, form=form, problem=words, status=422)
    except Conflict as error:
        return _sheet(request, fleet, form=form, problem=error.message, status=409)
    return htmx.redirect(request, reverse("fleets:fleet_detail", args=[fleet.public_id]))


def _sheet(
    request: HttpRequest,
    fleet: Fleet,
    *,
    form: RunAgainForm | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    said = form.data if form is not None else _suggested(request)
    offer = run_again_offer(fleet)
    context: dict[str, Any] = {
        "fleet": fleet,
        "here": reverse("fleets:fleet_detail", args=[fleet.public_id]),
        "offer": offer,
        "problem": problem if problem != offer.refusal else "",
        "scope": said.get("scope") or ALL,
        "only": said.get("only", ""),
        "prompt": said.get("prompt", ""),
        "is_fresh": bool(said.get("is_fresh")),
        "form_key": said.get("form_key") or uuid4().hex,
        "in_dialog": htmx.fragment_for(request, FRAGMENTS) is not None,
    }
    return htmx.render(
        request, "fleets/fleet_run_again.html", context, fragments=FRAGMENTS, status=status
    )


def _suggested(request: HttpRequest) -> dict[str, str]:
    """What the address asks for: `?only=agent-7` from that agent's page."""
    only = request.GET.get("only", "")[:MOST_IDS_CHARS]
    return {"scope": "only", "only": only} if only else {}


def _first_error(form: RunAgainForm) -> str:
    return str(next(iter(form.errors.values()))[0])
