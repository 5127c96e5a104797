"""What of a launch depends on who launches."""

from collections.abc import Collection, Iterator

from fleets.domain.errors import Problem
from fleets.models import User


def personal_problems(
    user: User, *, team: str, teams: Collection[str], has_budget: bool
) -> tuple[Problem, ...]:
    """Problems at `team` and `budget`; `teams` are those one may launch for."""
    return tuple(_problems(user, team=team, teams=teams, has_budget=has_budget))


def _problems(
    user: User, *, team: str, teams: Collection[str], has_budget: bool
) -> Iterator[Problem]:
    if team and team not in teams:
        yours = ", ".join(teams) or "none: an admin can put you into one"
        yield Problem("team", f"You are not in the team {team[:40]}. Yours: {yours}.")
    if not has_budget and not user.is_admin:
        yield Problem("budget", "A budget is needed: only an admin may launch without one.")
