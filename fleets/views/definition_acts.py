"""What is done to a definition from its page: restore, archive, bring back, clone."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from fleetdash import htmx
from fleets.access import get_definition, role_required, user_of
from fleets.domain.errors import AlreadySo, Conflict, DomainError, InvalidInput, NotAllowed
from fleets.domain.status import Role
from fleets.models import Definition
from fleets.selectors.definition_check import body_of
from fleets.selectors.people import person_named
from fleets.services.actor import Actor
from fleets.services.definition_shelf import hand_over_definition
from fleets.services.definitions import (
    archive_definition,
    create_definition,
    restore_definition,
    unarchive_definition,
)
from fleets.views.definition_page import definition_page
from fleets.views.revision_number import posted_number

# What is done: the sentence that says so, and the definition that is shown then.
Act = Callable[[Definition, Actor], tuple[str, Definition]]


@require_POST
@role_required(Role.OPERATOR)
def definition_restore(request: HttpRequest, slug: str) -> HttpResponse:
    """An old revision's content as a new one."""

    def act(definition: Definition, actor: Actor) -> tuple[str, Definition]:
        number = posted_number(request)
        made = restore_definition(definition, number=number, actor=actor)
        return f"r{number} is restored as r{made.number}.", definition

    return _carry_out(request, slug, act, tab="revisions")


@require_POST
@role_required(Role.OPERATOR)
def definition_archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Put it away, or (with `bring_back`) bring it back."""

    def act(definition: Definition, actor: Actor) -> tuple[str, Definition]:
        if "bring_back" in request.POST:
            return f"{definition.name} is back.", unarchive_definition(definition, actor=actor)
        archive_definition(definition, actor=actor)
        return f"{definition.name} is archived. Its fleets go on.", definition

    return _carry_out(request, slug, act, tab="")


@require_POST
@role_required(Role.OPERATOR)
def definition_hand_over(request: HttpRequest, slug: str) -> HttpResponse:
    """Give it another owner."""

    def act(definition: Definition, actor: Actor) -> tuple[str, Definition]:
        to = person_named(request.POST.get("owner", ""), place="owner")
        hand_over_definition(definition, to=to, actor=actor)
        return f"{to.get_username()} owns {definition.name} now.", definition

    return _carry_out(request, slug, act, tab="")


@require_POST
@role_required(Role.OPERATOR)
def definition_clone(request: HttpRequest, slug: str) -> HttpResponse:
    """A definition of one's own that says the same."""

    def act(definition: Definition, actor: Actor) -> tuple[str, Definition]:
        assert definition.head is not None
        made = create_definition(
            body=body_of(definition.head),
            note=f"cloned from {definition.slug} r{definition.head.number}",
            actor=actor,
            cloned_from=definition,
        )
        return f"{made.slug} is a clone of {definition.slug}.", made

    return _carry_out(request, slug, act, tab="")


def _carry_out(request: HttpRequest, slug: str, act: Act, *, tab: str) -> HttpResponse:
    """Do it and go to the page; a refusal is shown there, with everything as it is now."""
    definition = get_definition(user_of(request), slug)
    try:
        words, definition = act(definition, Actor.of(request))
        messages.success(request, words)
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except AlreadySo as error:
        messages.info(request, error.message)
    except InvalidInput as error:
        return _refused(request, slug, str(error.problems[0]), tab=tab, status=422)
    except Conflict as error:
        return _refused(request, slug, error.message, tab=tab, status=409)
    except DomainError as error:
        return _refused(request, slug, error.message, tab=tab, status=404)
    back = reverse("fleets:definition_detail", args=[definition.slug])
    return htmx.redirect(request, f"{back}?tab={tab}" if tab else back)


def _refused(
    request: HttpRequest, slug: str, message: str, *, tab: str, status: int
) -> HttpResponse:
    definition = get_definition(user_of(request), slug)
    return definition_page(request, definition, tab=tab, problem=message, status=status)
