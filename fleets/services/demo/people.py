"""The people and teams of the data set. Their mail addresses end in `.invalid`: that marks them."""

import secrets
from dataclasses import dataclass
from typing import Final

from fleets.domain.money import NUSD_PER_USD
from fleets.domain.status import Role
from fleets.models import Team, User

MARK: Final = "@demo.invalid"
_TEAMS: Final = {
    "demo-quality": "Quality",
    "demo-research": "Research",
    "demo-platform": "Platform",
}
_PEOPLE: Final = {
    "viewer": (Role.VIEWER, ("demo-quality",), None),
    "operator": (Role.OPERATOR, ("demo-quality", "demo-platform"), 50),
    "operator-night": (Role.OPERATOR, ("demo-quality", "demo-research", "demo-platform"), 40),
    "admin2": (Role.ADMIN, ("demo-research",), None),
    "stranger": (Role.STRANGER, (), None),
}


@dataclass(frozen=True, slots=True)
class Gathered:
    """Users and teams by name, and the passwords of users made just now (shown once)."""

    users: dict[str, User]
    teams: dict[str, Team]
    passwords: dict[str, str]


def gather() -> Gathered:
    """Make who is missing. A user of that name who is not ours is used as it is, never changed."""
    teams = {slug: _team(slug, name) for slug, name in _TEAMS.items()}
    users: dict[str, User] = {}
    passwords: dict[str, str] = {}
    for username, (role, slugs, limit_usd) in _PEOPLE.items():
        user = User.objects.filter(username=username).first()
        if user is None or (user.email == f"{username}{MARK}" and not user.is_active):
            passwords[username] = secrets.token_urlsafe(9)
            user = user or User(username=username, email=f"{username}{MARK}")
            user.role, user.is_active = role, True
            user.spend_limit_nusd = None if limit_usd is None else limit_usd * NUSD_PER_USD
            user.set_password(passwords[username])
            user.save()
            user.teams.set([teams[slug] for slug in slugs])
        users[username] = user
    return Gathered(users, teams, passwords)


def _team(slug: str, name: str) -> Team:
    taken = Team.objects.filter(name=name).exclude(slug=slug).exists()
    team, _ = Team.objects.get_or_create(
        slug=slug, defaults={"name": f"{name} (demo)" if taken else name}
    )
    return team
