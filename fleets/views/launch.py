"""Launching a fleet: the form, its preflight, and the launch itself."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import get_fleet, role_required, user_of
from fleets.domain.child_budget import sum_words
from fleets.domain.errors import Conflict, DomainError, InvalidInput, Problem
from fleets.domain.preflight import preflight
from fleets.domain.status import Role
from fleets.forms.launch import LaunchForm
from fleets.models import Fleet, User
from fleets.selectors.launch_options import launch_options
from fleets.services.actor import Actor
from fleets.services.launch import launch_fleet
from fleets.signed_out import page_before
from fleets.views.launch_input import repair, typed_with_file
from fleets.views.launch_preview import account_of, preview

FRAGMENTS: Final = ("launch", "preflight")


def form_again(request: HttpRequest) -> str:
    """The form, for somebody who was signed out meanwhile; with what it was opened for, if told."""
    before, form = page_before(request), reverse("fleets:fleet_new")
    return before if before.startswith(form) else form


@require_safe
@role_required(Role.OPERATOR)
def fleet_new(request: HttpRequest) -> HttpResponse:
    """An empty form, or with `from` one filled in like that fleet; with `parent`, a child's;
    with `profile`, one of the catalog for all.
    """
    user = user_of(request)
    options = launch_options(user)
    wanted, above = request.GET.get("from", ""), request.GET.get("parent", "")
    like = get_fleet(user, wanted) if wanted else None
    first = LaunchForm.first(options, like=like)
    if above:
        first |= LaunchForm.below(get_fleet(user, above), agent=request.GET.get("agent", ""))
    if "profile" in request.GET:
        first["profile"] = request.GET["profile"]
    form = LaunchForm(options, first, user=user)
    return _page(request, form, like=like)


@require_POST
@role_required(Role.OPERATOR)
def fleet_preview(request: HttpRequest) -> HttpResponse:
    """The preflight of what is typed so far; `repair` puts one value into one field first."""
    user = user_of(request)
    data = typed_with_file(request)
    repaired = repair(data, user=user)
    form = LaunchForm(launch_options(user), data, user=user)
    return _page(request, form, repaired=repaired)


@require_POST
@role_required(Role.OPERATOR, back=form_again)
def fleet_launch(request: HttpRequest) -> HttpResponse:
    """Launch what the form says, once per form; refused with everything kept as typed."""
    user = user_of(request)
    form = LaunchForm(launch_options(user), typed_with_file(request), user=user)
    if form.is_valid() and form.spec is not None:
        form.add_problems(_against(form, user))
    if form.is_valid() and form.spec is not None:
        try:
            fleet = launch_fleet(
                form.spec,
                actor=Actor.of(request),
                idempotency_key=form.cleaned_data["idempotency_key"],
            )
        except InvalidInput as error:
            form.add_problems(error.problems)
        except Conflict as error:
            form.add_error(None, error.message)
            form.take_new_key()
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            return htmx.redirect(request, reverse("fleets:fleet_detail", args=[fleet.public_id]))
    return _page(request, form, is_refused=True)


def _against(form: LaunchForm, user: User) -> list[Problem]:
    """What the figures have against it: over a limit, or sure to be refused by the platform."""
    assert form.spec is not None
    found = preflight(
        form.spec, now=timezone.now(), account=account_of(user), above=form.above
    ).problems
    return [Problem(advice.place, advice.message) for advice in found]


def _page(
    request: HttpRequest,
    form: LaunchForm,
    *,
    like: Fleet | None = None,
    repaired: str = "",
    is_refused: bool = False,
) -> HttpResponse:
    user = user_of(request)
    shown = preview(form, user, now=timezone.now())
    if not is_refused:
        form = form.quiet()
    if repaired in form.fields:
        form.fields[repaired].widget.attrs["autofocus"] = True
    context: dict[str, Any] = {
        "form": form,
        "like": like,
        "preview": shown,
        "is_refused": is_refused,
        "options": form.options,
        "above_words": sum_words(form.above) if form.above and form.above.cap_nusd else "",
    }
    return htmx.render(
        request,
        "fleets/fleet_launch.html",
        context,
        fragments=FRAGMENTS,
        oob=("launch-act",) if htmx.target_id(request) == "preflight" else (),
        status=422 if is_refused else 200,
    )
