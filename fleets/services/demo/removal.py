"""Removes the data set, and nothing else."""

from django.db import connection, transaction
from django.db.models import ProtectedError, QuerySet

from fleets.models import Fleet, Team, User
from fleets.services import audit
from fleets.services.actor import SYSTEM
from fleets.services.demo.definitions import remove_definitions
from fleets.services.demo.people import MARK
from fleets.services.demo.profiles import remove_profiles

DOOR = "demo"


def demo_fleets() -> "QuerySet[Fleet]":
    """The fleets that the data set made: those whose launch came through the door `demo`."""
    return Fleet.objects.filter(operations__kind="launch", operations__door=DOOR)


@transaction.atomic
def remove() -> int:
    """Remove fleets, then people and teams; how many fleets those were.

    A person who has done something is kept in the audit and only barred; a team with fleets of
    others stays.
    """
    count = remove_fleets()
    remove_definitions()
    remove_profiles()
    for user in User.objects.filter(email__endswith=MARK):
        _remove_person(user)
    for team in Team.objects.filter(slug__startswith="demo-", members__isnull=True):
        if not team.fleets.exists():
            team.delete()
    if count:
        audit.record(
            "demo.remove",
            actor=SYSTEM,
            object_type="demo",
            object_id="fleets",
            after={"fleets": count},
        )
    return count


def remove_fleets() -> int:
    """Remove the fleets alone, in the caller's transaction."""
    pks = list(demo_fleets().values_list("pk", flat=True))
    ours = Fleet.objects.filter(pk__in=pks)
    # A fleet protects its parent and its root, which for a root is itself.
    ours.update(parent=None, root=None)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM fleets_turnevent WHERE fleet_id = ANY(%s)", [pks])
    ours.delete()
    return len(pks)


def _remove_person(user: User) -> None:
    try:
        with transaction.atomic():
            user.delete()
    except ProtectedError:
        user.is_active, user.role = False, ""
        user.set_unusable_password()
        user.save()
        user.teams.clear()
