"""The stop sheet and its acts: each has its own address and leads to its operation page."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from fleetdash import htmx
from fleets.access import get_fleet, may_delete, role_required, user_of
from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed
from fleets.domain.status import OperationKind, Role
from fleets.forms.stop import REASON_LIMIT, StopForm
from fleets.models import Fleet, Operation, User
from fleets.selectors.operation_lines import newest_operation
from fleets.selectors.stop_sheet import stop_sheet
from fleets.services.actor import Actor
from fleets.services.cancel import cancel_fleet
from fleets.services.cut_off import cut_off_fleet, reopen_fleet
from fleets.services.hold import hold_fleet, release_fleet
from fleets.services.stop_machines import stop_machines

FRAGMENTS: Final = {"dialog": "fleets/_stop_sheet.html"}

Act = Callable[[Fleet, Actor, StopForm], Operation]


def sheet_again(request: HttpRequest) -> str:
    """Address of the sheet with what was chosen and typed, for somebody who was signed out."""
    assert request.resolver_match is not None
    strength = (request.resolver_match.url_name or "").removeprefix("fleet_")
    typed = QueryDict(mutable=True)
    typed["strength"] = strength if strength in ACTS else request.POST.get("strength", "")
    for name in ("reason", "stop_machines", "only_this"):
        if value := request.POST.get(name, "")[:REASON_LIMIT]:
            typed[name] = value
    sheet = reverse("fleets:fleet_stop", args=[request.resolver_match.kwargs["public_id"]])
    return f"{sheet}?{typed.urlencode()}"


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR, back=sheet_again)
def fleet_stop(request: HttpRequest, public_id: str) -> HttpResponse:
    """The sheet; posted, it does what its strength says (Enter in the reason field)."""
    if request.method == "POST":
        act = ACTS.get(request.POST.get("strength", ""))
        if act is not None:
            return _order(request, public_id, *act)
    fleet = get_fleet(user_of(request), public_id)
    typed = StopForm(initial=request.GET.dict()) if "strength" in request.GET else None
    problem = "Choose how to stop it." if request.POST else ""
    return sheet_page(request, fleet, form=typed, problem=problem)


@require_POST
@role_required(Role.OPERATOR, back=sheet_again)
def fleet_hold(request: HttpRequest, public_id: str) -> HttpResponse:
    """No new turns."""
    return _order(request, public_id, *ACTS["hold"])


@require_POST
@role_required(Role.OPERATOR, back=sheet_again)
def fleet_release(request: HttpRequest, public_id: str) -> HttpResponse:
    """New turns again."""
    return _order(request, public_id, *ACTS["release"])


@require_POST
@role_required(Role.OPERATOR, back=sheet_again)
def fleet_cut_off(request: HttpRequest, public_id: str) -> HttpResponse:
    """The platform refuses everything from here on."""
    return _order(request, public_id, *ACTS["cut_off"])


@require_POST
@role_required(Role.OPERATOR, back=sheet_again)
def fleet_reopen(request: HttpRequest, public_id: str) -> HttpResponse:
    """The cap is the budget again."""
    return _order(request, public_id, *ACTS["reopen"])


@require_POST
@role_required(Role.OPERATOR, back=sheet_again)
def fleet_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    """Stop the work, keep the machines (unless they are to stop too)."""
    return _order(request, public_id, *ACTS["cancel"])


@require_POST
@role_required(Role.OPERATOR, back=sheet_again)
def fleet_stop_machines(request: HttpRequest, public_id: str) -> HttpResponse:
    """Stop the machines of a fleet whose work is over."""
    return _order(request, public_id, *ACTS["stop_machines"])


def sheet_page(
    request: HttpRequest,
    fleet: Fleet,
    *,
    form: StopForm | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """The sheet as a page of its own, or in the dialog when HTMX asked."""
    user = user_of(request)
    sheet = stop_sheet(fleet)
    chosen = form["strength"].value() if form is not None else ""
    possible = {strength.word for strength in sheet.strengths if not strength.refusal}
    context: dict[str, Any] = {
        "fleet": fleet,
        "sheet": sheet,
        "here": reverse("fleets:fleet_detail", args=[fleet.public_id]),
        "chosen": chosen if chosen in possible else sheet.preselected,
        "reason": form["reason"].value() if form is not None else first_reason(user),
        "form": form,
        "problem": problem,
        "may_delete": may_delete(user, fleet),
        "in_dialog": htmx.fragment_for(request, FRAGMENTS) is not None,
    }
    status = 422 if problem and status == 200 else status
    return htmx.render(
        request, "fleets/fleet_stop.html", context, fragments=FRAGMENTS, status=status
    )


def first_reason(user: User) -> str:
    """What stands in the reason field before anybody types: who and when, in the viewer's zone."""
    return f"stopped by {user.get_username()} at {timezone.localtime():%H:%M}"


def tell_if_ordered_before(request: HttpRequest, operation: Operation) -> None:
    """Whoever presses second is led to the order that stands, and told whose it is."""
    first = operation.requested_by
    if first is None or first == request.user:
        return
    at = timezone.localtime(operation.requested_at)
    messages.warning(
        request, f"Already ordered by {first.get_username()} at {at:%H:%M:%S}: this is that order."
    )


def _order(request: HttpRequest, public_id: str, kind: OperationKind, act: Act) -> HttpResponse:
    fleet = get_fleet(user_of(request), public_id)
    form = StopForm(request.POST)
    if not form.is_valid():
        return sheet_page(request, fleet, form=form, status=422)
    try:
        operation = act(fleet, Actor.of(request), form)
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except InvalidInput as error:
        return sheet_page(request, fleet, form=form, problem=error.message)
    except Conflict as error:
        # Pressed twice, or two people pressed it: the order that stands is the answer.
        is_so = isinstance(error, AlreadySo)
        standing = newest_operation(fleet, kind, now=timezone.now()) if is_so else None
        if standing is None:
            fleet = get_fleet(user_of(request), public_id)
            return sheet_page(request, fleet, form=form, problem=error.message, status=409)
        operation = standing
    tell_if_ordered_before(request, operation)
    return htmx.redirect(request, reverse("fleets:operation_detail", args=[operation.public_id]))


def _hold(fleet: Fleet, actor: Actor, form: StopForm) -> Operation:
    return hold_fleet(fleet, actor=actor, reason=form.cleaned_data["reason"])


def _release(fleet: Fleet, actor: Actor, form: StopForm) -> Operation:
    return release_fleet(fleet, actor=actor, reason=form.cleaned_data["reason"])


def _cut_off(fleet: Fleet, actor: Actor, form: StopForm) -> Operation:
    return cut_off_fleet(fleet, actor=actor, reason=form.cleaned_data["reason"])


def _reopen(fleet: Fleet, actor: Actor, form: StopForm) -> Operation:
    return reopen_fleet(fleet, actor=actor, reason=form.cleaned_data["reason"])


def _cancel(fleet: Fleet, actor: Actor, form: StopForm) -> Operation:
    said = form.cleaned_data
    operation = cancel_fleet(fleet, actor=actor, reason=said["reason"], only_this=said["only_this"])
    if said["stop_machines"]:
        stop_machines(fleet, actor=actor, reason=said["reason"])
    return operation


def _stop_machines(fleet: Fleet, actor: Actor, form: StopForm) -> Operation:
    return stop_machines(fleet, actor=actor, reason=form.cleaned_data["reason"])


ACTS: Final[Mapping[str, tuple[OperationKind, Act]]] = {
    "hold": (OperationKind.HOLD, _hold),
    "release": (OperationKind.RELEASE, _release),
    "cut_off": (OperationKind.CUT_OFF, _cut_off),
    "reopen": (OperationKind.REOPEN, _reopen),
    "cancel": (OperationKind.CANCEL, _cancel),
    "stop_machines": (OperationKind.STOP_MACHINES, _stop_machines),
}
