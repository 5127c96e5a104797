"""Who acts: the person named by `--as`, else the only admin, else whoever is asked."""

import sys

from fleets.domain.errors import InvalidInput, NotAllowed
from fleets.domain.status import Role
from fleets.management.fleet_commands.console import Console
from fleets.models import Team, User
from fleets.services.actor import Actor
from fleets.services.demo.people import MARK

PLACE = "--as"


def actor_of(name: str | None, *, console: Console) -> Actor:
    """The actor at the door `command`. Raises InvalidInput at `--as`, NotAllowed for strangers."""
    user = _named(name) if name else _the_only_admin(console)
    if not user.is_viewer:
        raise NotAllowed(
            f"{user.get_username()} has no role and sees no fleets.", who_can="viewers and above"
        )
    return Actor(user=user, door="command")


def team_of(actor: Actor) -> str:
    """The first team of a person, for an admin without one the first there is; "" for none."""
    user = actor.user
    team = user.teams.first() if user is not None else None
    if team is None and user is not None and user.is_admin:
        team = Team.objects.first()
    return team.slug if team else ""


def _named(name: str) -> User:
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise InvalidInput.at(PLACE, f"There is no active user {name!r}.")
    return user


def _the_only_admin(console: Console) -> User:
    # The people of the data set are for looking around: they must not make anybody type --as.
    real = User.objects.filter(role=Role.ADMIN, is_active=True).exclude(email__endswith=MARK)
    admins = list(real.order_by("pk")[:2])
    if len(admins) == 1:
        return admins[0]
    if not admins:
        raise InvalidInput.at(PLACE, "There is no admin yet: run `manage.py setup`, or say who.")
    if not sys.stdin.isatty():
        raise InvalidInput.at(PLACE, "There are several admins: say with --as USERNAME who acts.")
    console.say("There are several admins. Who acts?")
    return _named(input("username: ").strip())
