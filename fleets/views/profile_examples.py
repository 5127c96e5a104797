"""Example tasks of a profile: written in a form, moved and removed from its tab."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.errors import AlreadySo, Conflict
from fleets.domain.number_input import parse_whole
from fleets.domain.profile_examples import Direction
from fleets.domain.status import Role
from fleets.forms.profile_example import ProfileExampleForm
from fleets.models import Profile
from fleets.selectors.profile_examples import ExampleRow, example_list
from fleets.selectors.profile_page import may_edit, profile_head
from fleets.services.actor import Actor
from fleets.services.profile_examples import (
    add_example,
    change_example,
    move_example,
    remove_example,
)
from fleets.views.profile_acts import carry_out

TAB = "examples"


def form_again(request: HttpRequest) -> str:
    """The form that was sent, for somebody who was signed out meanwhile."""
    here, _, sent_to = request.path.rpartition("/examples/")
    which, _, act = sent_to.partition("/")
    return f"{here}/example?example={which}" if act == "save" else f"{here}/example"


@require_safe
@role_required(Role.OPERATOR)
def profile_example(request: HttpRequest, slug: str) -> HttpResponse:
    """An empty form for one more; with `example`, the form with what that one says now."""
    profile = _editable(request, slug)
    if "example" not in request.GET:
        return _page(request, profile, ProfileExampleForm())
    row = _row(profile, parse_whole(request.GET["example"]) or 0)
    return _page(request, profile, ProfileExampleForm.of(row.example), row=row)


@require_POST
@role_required(Role.OPERATOR, back=form_again)
def profile_example_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Put it at the end; refused with everything kept as typed."""
    profile = _editable(request, slug)
    form = ProfileExampleForm(request.POST.dict())
    if not form.is_valid() or form.example is None:
        return _page(request, profile, form, status=422)
    try:
        row = add_example(profile, example=form.example, actor=Actor.of(request))
    except Conflict as error:
        form.add_error(None, error.message)
        return _page(request, profile, form, status=409)
    messages.success(request, f"Example {row.position} is there.")
    return _back(request, profile)


@require_POST
@role_required(Role.OPERATOR, back=form_again)
def profile_example_save(request: HttpRequest, slug: str, example: int) -> HttpResponse:
    """Say it otherwise; when somebody else did meanwhile, both are shown first."""
    profile = _editable(request, slug)
    row = _row(profile, example)
    form = ProfileExampleForm(request.POST.dict())
    if not form.is_valid() or form.example is None:
        return _page(request, profile, form, row=row, status=422)
    try:
        change_example(
            profile,
            pk=example,
            example=form.example,
            seen=form.cleaned_data["seen"],
            actor=Actor.of(request),
        )
    except AlreadySo as error:
        messages.info(request, error.message)
        return _back(request, profile)
    except Conflict as error:
        form.add_error(None, error.message)
        form.data = {**form.data, "seen": error.state}
        return _page(request, profile, form, row=row, status=409)
    messages.success(request, f"Example {row.position} is saved.")
    return _back(request, profile)


@require_POST
@role_required(Role.OPERATOR)
def profile_example_move(request: HttpRequest, slug: str, example: int) -> HttpResponse:
    """One place up or down."""
    is_up = request.POST.get("direction") == Direction.UP

    def act(profile: Profile, actor: Actor) -> str:
        direction = Direction.UP if is_up else Direction.DOWN
        at = move_example(profile, pk=example, direction=direction, actor=actor)
        return f"It is example {at} now."

    return carry_out(request, slug, act, tab=TAB)


@require_POST
@role_required(Role.OPERATOR)
def profile_example_remove(request: HttpRequest, slug: str, example: int) -> HttpResponse:
    """Take it away; what ran with it keeps it."""

    def act(profile: Profile, actor: Actor) -> str:
        remove_example(profile, pk=example, actor=actor)
        return "The example is gone. Trials that ran it keep it."

    return carry_out(request, slug, act, tab=TAB)


def _editable(request: HttpRequest, slug: str) -> Profile:
    user = user_of(request)
    profile = get_profile(user, slug)
    if not may_edit(user, profile):
        raise PermissionDenied(
            f"The catalog {profile.catalog.name} belongs to a team that you are not in."
        )
    return profile


def _row(profile: Profile, pk: int) -> ExampleRow:
    for row in example_list(profile).rows:
        if row.pk == pk:
            return row
    raise Http404


def _back(request: HttpRequest, profile: Profile) -> HttpResponse:
    here = reverse("fleets:profile_detail", args=[profile.slug])
    return htmx.redirect(request, f"{here}?tab={TAB}")


def _page(
    request: HttpRequest,
    profile: Profile,
    form: ProfileExampleForm,
    *,
    row: ExampleRow | None = None,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        "head": profile_head(profile, user_of(request), now=timezone.now()),
        "here": reverse("fleets:profile_detail", args=[profile.slug]),
        "form": form,
        "row": row,
        "is_refused": status != 200,
        "theirs": row if row is not None and status == 409 else None,
    }
    return htmx.render(request, "profiles/profile_example.html", context, status=status)
