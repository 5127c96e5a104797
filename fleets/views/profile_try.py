"""Trying a revision: what would run and cost, and the order itself."""

from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.errors import Advice, Conflict, DomainError, InvalidInput, NotFoundHere, Problem
from fleets.domain.money import show_ceiling
from fleets.domain.number_input import parse_revision
from fleets.domain.numbers import counted
from fleets.domain.preflight import preflight
from fleets.domain.profile_trial import holding_budget, read_trial
from fleets.domain.status import Role
from fleets.forms.profile_try import ProfileTryForm
from fleets.models import Profile
from fleets.selectors.launch_options import LaunchOptions, launch_options
from fleets.selectors.profile_page import may_edit, profile_head
from fleets.selectors.profile_try import TrySetup, try_setup
from fleets.services.actor import Actor
from fleets.services.profile_trials import TrialOrder, start_trial
from fleets.views.launch_preview import Preview, account_of, panel

FRAGMENTS: Final = ("launch", "preflight")


def try_again(request: HttpRequest) -> str:
    """The page of the trial, for somebody who was signed out meanwhile."""
    here = request.path.rpartition("/try")[0]
    sent = ((name, parse_revision(request.POST.get(name, ""))) for name in ("revision", "against"))
    return f"{here}/try?{urlencode({name: number for name, number in sent if number})}"


@require_safe
@role_required(Role.OPERATOR)
def profile_try(request: HttpRequest, slug: str) -> HttpResponse:
    """What a trial of `revision` (the newest) `against` another (the head) would be."""
    profile = _editable(request, slug)
    setup = _setup(request.GET.get("revision", ""), request.GET.get("against", ""), profile)
    options = launch_options(user_of(request))
    team = profile.catalog.team
    first = ProfileTryForm.first(setup, options, team=team.slug if team else "")
    if not setup.refusal:
        first["budget"] = _budget(request, setup, first)
    return _page(request, profile, _form(request, setup, options, first), options)


@require_POST
@role_required(Role.OPERATOR, back=try_again)
def profile_try_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The preflight of what is typed so far; `repair` puts one value into one field first."""
    profile = _editable(request, slug)
    data = {name: str(value) for name, value in request.POST.items()}
    field, _, value = data.pop("repair", "").partition("=")
    if field in ProfileTryForm.base_fields:
        data[field] = value
    options = launch_options(user_of(request))
    return _page(request, profile, _sent(request, profile, options, data), options)


@require_POST
@role_required(Role.OPERATOR, back=try_again)
def profile_try_now(request: HttpRequest, slug: str) -> HttpResponse:
    """Order it, once per form; refused with everything kept as typed."""
    profile = _editable(request, slug)
    options = launch_options(user_of(request))
    data = {name: str(value) for name, value in request.POST.items()}
    form = _sent(request, profile, options, data)
    if _is_ready(request, form):
        try:
            trial = start_trial(
                profile,
                TrialOrder(form.setup.tried.number, form.setup.against.number, form.settings),
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
            where = reverse("fleets:profile_trial", args=[slug, trial.pk])
            return htmx.redirect(request, where)
    return _page(request, profile, form, options, is_refused=True)


def _is_ready(request: HttpRequest, form: ProfileTryForm) -> bool:
    """Whether nothing stands against it; what does is put at its field."""
    is_valid = form.is_valid()
    if form.setup.refusal:
        form.add_error(None, form.setup.refusal)
    if form.setup.refusal or not is_valid or form.spec is None:
        return False
    account = account_of(user_of(request))
    found = preflight(form.spec, now=timezone.now(), account=account).problems
    form.add_problems(Problem(advice.place, advice.message) for advice in found)
    return not found


def _editable(request: HttpRequest, slug: str) -> Profile:
    user = user_of(request)
    profile = get_profile(user, slug)
    if not may_edit(user, profile):
        raise PermissionDenied(
            f"The catalog {profile.catalog.name} belongs to a team that you are not in."
        )
    return profile


def _setup(revision: str, against: str, profile: Profile) -> TrySetup:
    numbers = [parse_revision(text) for text in (revision, against)]
    if any(
        text and number is None for text, number in zip((revision, against), numbers, strict=True)
    ):
        raise Http404  # never another revision than the one that is meant
    try:
        return try_setup(profile, number=numbers[0], against=numbers[1])
    except NotFoundHere:
        raise Http404 from None


def _sent(
    request: HttpRequest, profile: Profile, options: LaunchOptions, data: dict[str, str]
) -> ProfileTryForm:
    setup = _setup(data.get("revision", ""), data.get("against", ""), profile)
    return _form(request, setup, options, data)


def _form(
    request: HttpRequest, setup: TrySetup, options: LaunchOptions, data: dict[str, str]
) -> ProfileTryForm:
    return ProfileTryForm(setup, options, data, user=user_of(request))


def _budget(request: HttpRequest, setup: TrySetup, first: dict[str, str]) -> str:
    """What holds it, within what this person may launch with."""
    try:
        spec = read_trial({**first, "team": first["team"] or "team", "budget": "1"}, setup.plan)
    except InvalidInput:
        return ""  # what is wrong stands in the preflight
    return holding_budget(spec, limit_nusd=account_of(user_of(request)).spend_limit_nusd)


def _preview(request: HttpRequest, form: ProfileTryForm) -> Preview:
    """The preflight of the launch, with the count and the ceiling of the trial in its act."""
    typed = [Advice(one.place, one.message, one.repairs) for one in form.problems]
    labels = {name: str(field.label) for name, field in form.fields.items()}
    found = panel(
        form.spec,
        user_of(request),
        now=timezone.now(),
        typed=typed,
        labels=labels,
        fields=form.fields,
    )
    label = f"Run {counted(form.setup.plan.turns, 'turn')}"
    if found.flight is not None and found.flight.ceiling_nusd is not None:
        label = f"{label}, {show_ceiling(found.flight.ceiling_nusd)}"
    # That sides with one harness run on machines of their own is meant so.
    is_meant = len({side.harness for side in form.setup.sides}) == 1
    warnings = [one for one in found.warnings if not (is_meant and one.place == "placement")]
    return replace(found, launch_label=label, warnings=warnings)


def _page(
    request: HttpRequest,
    profile: Profile,
    form: ProfileTryForm,
    options: LaunchOptions,
    *,
    is_refused: bool = False,
) -> HttpResponse:
    form.is_valid()
    here = reverse("fleets:profile_detail", args=[profile.slug])
    context: dict[str, Any] = {
        "head": profile_head(profile, user_of(request), now=timezone.now()),
        "here": here,
        "form": form,
        "setup": form.setup,
        "options": options,
        "preview": None if form.setup.refusal else _preview(request, form),
        "is_refused": is_refused,
    }
    return htmx.render(
        request,
        "profiles/profile_try.html",
        context,
        fragments=FRAGMENTS,
        oob=("launch-act", "try-sides") if htmx.target_id(request) == "preflight" else (),
        status=422 if is_refused else 200,
    )
