"""How much profiles were used lately, and what came of it: figures of their agents."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Q, Sum

from fleets.models import AgentProfile

RECENT: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Usage:
    """Since a moment: fleets, their agents, ended turns, and what one turn cost on average.

    `cost_per_turn_nusd` None: no turn whose cost is known.
    """

    fleets: int = 0
    agents: int = 0
    turns: int = 0
    cost_per_turn_nusd: int | None = None

    @property
    def words(self) -> str:
        """`9 fleets, 210 agents`, "" for none."""
        if not self.fleets:
            return ""
        fleets = f"{self.fleets:,} fleet{'' if self.fleets == 1 else 's'}"
        return f"{fleets}, {self.agents:,} agent{'' if self.agents == 1 else 's'}"


def usage_of(profiles: Collection[int], *, since: datetime) -> dict[int, Usage]:
    """By profile, of fleets made since. One query; profiles nobody used are missing."""
    if not profiles:
        return {}
    known = Q(agents__cost_nusd__isnull=False)
    rows = (
        AgentProfile.objects.filter(
            revision__profile__in=list(profiles), fleet__created_at__gte=since
        )
        .order_by()
        .values("revision__profile")
        .annotate(
            in_fleets=Count("fleet", distinct=True),
            of_agents=Count("agents"),
            all_turns=Sum("agents__turns"),
            paid_turns=Sum("agents__turns", filter=known),
            paid_nusd=Sum("agents__cost_nusd", filter=known),
        )
    )
    return {row["revision__profile"]: _usage(row) for row in rows}


def _usage(row: Mapping[str, Any]) -> Usage:
    turns, nusd = row["paid_turns"] or 0, row["paid_nusd"]
    return Usage(
        fleets=row["in_fleets"],
        agents=row["of_agents"],
        turns=row["all_turns"] or 0,
        cost_per_turn_nusd=round(nusd / turns) if turns and nusd is not None else None,
    )
