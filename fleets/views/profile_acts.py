"""What is done to a profile from its page: publish, restore, label, archive, hand over."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.errors import AlreadySo, Conflict, DomainError, InvalidInput, NotAllowed
from fleets.domain.status import Role
from fleets.models import Profile
from fleets.selectors.people import person_named
from fleets.services.actor import Actor
from fleets.services.profile_labels import remove_label, set_label
from fleets.services.profile_shelf import archive_profile, hand_over, unarchive_profile
from fleets.services.profiles import publish_revision, restore_revision
from fleets.views.profile_page import profile_page
from fleets.views.revision_number import posted_number

# What is done, and the sentence that says so.
Act = Callable[[Profile, Actor], str]


@require_POST
@role_required(Role.OPERATOR)
def profile_publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a draft revision the head."""

    def act(profile: Profile, actor: Actor) -> str:
        number = posted_number(request)
        publish_revision(profile, number=number, actor=actor)
        return f"r{number} is the head now."

    return carry_out(request, slug, act, tab="")


@require_POST
@role_required(Role.OPERATOR)
def profile_restore(request: HttpRequest, slug: str) -> HttpResponse:
    """An old revision's content as a new draft revision."""

    def act(profile: Profile, actor: Actor) -> str:
        number = posted_number(request)
        made = restore_revision(profile, number=number, actor=actor)
        return f"r{number} is restored as r{made.number}, a draft until you publish it."

    return carry_out(request, slug, act, tab="revisions")


@require_POST
@role_required(Role.OPERATOR)
def profile_label(request: HttpRequest, slug: str) -> HttpResponse:
    """Set, move or (with `remove`) take away a label."""
    name = request.POST.get("name", "").strip()

    def act(profile: Profile, actor: Actor) -> str:
        if "remove" in request.POST:
            remove_label(profile, name=name, actor=actor)
            return f"The label {name} is gone."
        number = posted_number(request)
        set_label(profile, name=name, number=number, actor=actor)
        return f"{name} is r{number} now."

    return carry_out(request, slug, act, tab="revisions")


@require_POST
@role_required(Role.OPERATOR)
def profile_archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Put it away, or (with `bring_back`) bring it back."""

    def act(profile: Profile, actor: Actor) -> str:
        if "bring_back" in request.POST:
            unarchive_profile(profile, actor=actor)
            return f"{profile.name} is back."
        archive_profile(profile, actor=actor)
        return f"{profile.name} is archived. What uses it goes on."

    return carry_out(request, slug, act, tab="")


@require_POST
@role_required(Role.OPERATOR)
def profile_hand_over(request: HttpRequest, slug: str) -> HttpResponse:
    """Give it another owner."""

    def act(profile: Profile, actor: Actor) -> str:
        to = person_named(request.POST.get("owner", ""), place="owner")
        hand_over(profile, to=to, actor=actor)
        return f"{to.get_username()} owns {profile.name} now."

    return carry_out(request, slug, act, tab="")


def carry_out(request: HttpRequest, slug: str, act: Act, *, tab: str) -> HttpResponse:
    """Do it and go back to the page; a refusal is shown there, with everything as it is now."""
    profile = get_profile(user_of(request), slug)
    try:
        messages.success(request, act(profile, Actor.of(request)))
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except AlreadySo as error:
        messages.info(request, error.message)
    except InvalidInput as error:
        return _refused(request, slug, error.problems[0].message, tab=tab, status=422)
    except Conflict as error:
        return _refused(request, slug, error.message, tab=tab, status=409)
    except DomainError as error:
        return _refused(request, slug, error.message, tab=tab, status=404)
    back = reverse("fleets:profile_detail", args=[slug])
    return htmx.redirect(request, f"{back}?tab={tab}" if tab else back)


def _refused(
    request: HttpRequest, slug: str, message: str, *, tab: str, status: int
) -> HttpResponse:
    profile = get_profile(user_of(request), slug)
    return profile_page(request, profile, tab=tab, problem=message, status=status)
