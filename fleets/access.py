"""Who may see and do what: guards for views, look-ups by user.

A stranger (signed in, no role) gets 404 everywhere but the own account; somebody who is not signed
in is sent to the login. Viewers read, operators launch and stop, admins do everything.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase

from fleets.domain.status import Role
from fleets.models import Definition, Fleet, Operation, Profile, User
from fleets.signed_out import Back, to_login

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

_RANK = {Role.VIEWER: 1, Role.OPERATOR: 2, Role.ADMIN: 3}


def user_of(request: HttpRequest) -> User:
    """The signed-in user of a guarded view."""
    return cast("User", request.user)


def _marked(view: Any, guard: str, back: Back | None = None) -> Any:
    """The view, saying which guard it has (a meta test reads it) and where one goes on from it."""
    view.guard = guard
    view.back = back
    return view


def signed_in(view: View[P]) -> View[P]:
    """For the own account: any signed-in person, strangers included."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if isinstance(request.user, AnonymousUser):
            return to_login(request)
        return view(request, *args, **kwargs)

    return cast("View[P]", _marked(guarded, "signed_in"))


def role_required(role: Role, *, back: Back | None = None) -> Callable[[View[P]], View[P]]:
    """At least this role. Strangers get 404, a lower role 403 with the words who can.

    `back` gives the page where somebody who was signed out meanwhile finds what was typed again.
    """

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            user: Any = request.user
            if isinstance(user, AnonymousUser):
                return to_login(request, back=back)
            if not user.is_viewer:
                raise Http404
            if _RANK[Role(user.role)] < _RANK[role]:
                raise PermissionDenied(f"This needs the role {role.value}. Ask an admin for it.")
            return view(request, *args, **kwargs)

        return cast("View[P]", _marked(guarded, role.value, back))

    return decorate


def get_fleet(user: User, public_id: str) -> Fleet:
    """The fleet with this public id, as far as the user may read it. Raises `Http404`."""
    if not user.is_viewer:
        raise Http404
    fleet = (
        Fleet.objects.select_related("team", "connection", "owner", "parent")
        .filter(public_id=public_id)
        .first()
    )
    if fleet is None:
        raise Http404
    return fleet


def get_operation(user: User, public_id: str) -> Operation:
    """The operation with this public id. Raises `Http404`."""
    if not user.is_viewer:
        raise Http404
    operation = (
        Operation.objects.select_related("fleet", "fleet__team", "requested_by")
        .filter(public_id=public_id)
        .first()
    )
    if operation is None:
        raise Http404
    return operation


def get_profile(user: User, slug: str) -> Profile:
    """The profile with this id, archived or not; who may read may read all. Raises `Http404`."""
    if not user.is_viewer:
        raise Http404
    found = Profile.objects.select_related("catalog", "owner", "head").defer("head__body")
    profile = found.filter(slug=slug).first()
    if profile is None:
        raise Http404
    return profile


def get_definition(user: User, slug: str) -> Definition:
    """The definition with this id, archived or not; who may read may read all. Raises `Http404`."""
    if not user.is_viewer:
        raise Http404
    found = Definition.objects.select_related("owner", "head", "head__author", "head__rows")
    definition = found.defer("head__rows__data").filter(slug=slug, head__isnull=False).first()
    if definition is None:
        raise Http404
    return definition


def may_delete(user: User, fleet: Fleet) -> bool:
    """Operators delete their own fleets, admins any."""
    return user.is_admin or (user.is_operator and fleet.owner_id == user.pk)
