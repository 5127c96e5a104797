"""What the launch form offers to one person, and what is known of the account."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Sum

from fleets.domain.harnesses import HARNESSES
from fleets.domain.numbers import show_memory
from fleets.domain.prices import MACHINE_SIZES, OFFERED_MODELS
from fleets.domain.status import OperationKind
from fleets.models import Connection, Fleet, Operation, Profile, Team, User

Choice = tuple[str, str]
MOST_PROFILES: Final = 500
# Fleets of the sample data set: nobody launched them, so they have no machines anywhere.
_IS_SAMPLE: Final = Exists(
    Operation.objects.filter(fleet=OuterRef("pk"), kind=OperationKind.LAUNCH, door="demo")
)


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """Choices as (value, label). `connection` None: no account is connected yet."""

    teams: Sequence[Choice]
    harnesses: Sequence[Choice]
    models: Sequence[str]
    sizes: Sequence[Choice]
    profiles: Sequence[Choice]
    connection: str | None


@dataclass(frozen=True, slots=True)
class AccountFacts:
    """The account as far as our own rows know it; None is unknown."""

    machines_running: int
    machines_allowed: int | None
    credit_nusd: int | None
    requests_per_minute: int


def launch_options(user: User) -> LaunchOptions:
    """Teams are the user's own; an admin may launch for any. Three queries."""
    teams = Team.objects.all() if user.is_admin else user.teams.all()
    connection = Connection.objects.only("name").first()
    profiles = (
        Profile.objects.filter(archived_at__isnull=True, head__isnull=False)
        .order_by("slug")
        .values_list("slug", "name", "head__number")
    )
    return LaunchOptions(
        teams=[(team.slug, team.name) for team in teams],
        harnesses=[(name, name) for name in HARNESSES],
        models=OFFERED_MODELS,
        sizes=[
            (size.name, f"{size.name}: {size.vcpus} vCPU, {show_memory(size.memory_mib)}")
            for size in MACHINE_SIZES.values()
        ],
        profiles=[
            (slug, f"{name}, head r{number}") for slug, name, number in profiles[:MOST_PROFILES]
        ],
        connection=connection.name if connection else None,
    )


def account_facts() -> AccountFacts | None:
    """What is known of the first connection's account, None without one. Two queries."""
    connection = Connection.objects.only("rate_per_minute").first()
    if connection is None:
        return None
    ours = Fleet.objects.filter(connection=connection).exclude(_IS_SAMPLE)
    running = ours.aggregate(n=Sum("machines_running"))["n"]
    return AccountFacts(
        machines_running=running or 0,
        machines_allowed=None,
        credit_nusd=None,
        requests_per_minute=connection.rate_per_minute,
    )
