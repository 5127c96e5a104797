"""How much profiles were used lately, and what came of it: figures of their agents."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Q, Sum

from fleets.domain.answer_check import Verdict
from fleets.models import AgentProfile, Task

RECENT: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Usage:
    """Since a moment: fleets, their agents, ended turns, and what one turn cost on average.

    `accepted` of `checked` answers; what nobody judged yet does not count. `cost_per_turn_nusd`
    None: no turn whose cost is known.
    """

    fleets: int = 0
    agents: int = 0
    turns: int = 0
    cost_per_turn_nusd: int | None = None
    accepted: int = 0
    checked: int = 0

    @property
    def words(self) -> str:
        """`9 fleets, 210 agents`, "" for none."""
        if not self.fleets:
            return ""
        fleets = f"{self.fleets:,} fleet{'' if self.fleets == 1 else 's'}"
        return f"{fleets}, {self.agents:,} agent{'' if self.agents == 1 else 's'}"


def usage_of(profiles: Collection[int], *, since: datetime) -> dict[int, Usage]:
    """By profile, of fleets made since, trials left out. Two queries; profiles nobody used are
    missing.
    """
    if not profiles:
        return {}
    known = Q(agents__cost_nusd__isnull=False)
    rows = (
        AgentProfile.objects.filter(
            revision__profile__in=list(profiles),
            fleet__created_at__gte=since,
            fleet__trial__isnull=True,
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
    judged = judged_answers(
        "agent__profile__revision__profile",
        of=profiles,
        run__fleet__created_at__gte=since,
        run__fleet__trial__isnull=True,
    )
    return {
        row["revision__profile"]: _usage(row, judged.get(row["revision__profile"], (0, 0)))
        for row in rows
    }


def judged_answers(
    by: str, *, of: Collection[int], **conditions: object
) -> dict[int, tuple[int, int]]:
    """Accepted and checked answers, by the row that `by` leads to. One query."""
    found = Task.objects.filter(
        **{f"{by}__in": list(of)}, verdict__in=(Verdict.ACCEPTED, Verdict.REFUSED), **conditions
    )
    rows = (
        found.order_by()
        .values_list(by)
        .annotate(good=Count("pk", filter=Q(verdict=Verdict.ACCEPTED)), judged=Count("pk"))
    )
    return {key: (good, checked) for key, good, checked in rows}


def _usage(row: Mapping[str, Any], judged: tuple[int, int]) -> Usage:
    turns, nusd = row["paid_turns"] or 0, row["paid_nusd"]
    return Usage(
        fleets=row["in_fleets"],
        agents=row["of_agents"],
        turns=row["all_turns"] or 0,
        cost_per_turn_nusd=round(nusd / turns) if turns and nusd is not None else None,
        accepted=judged[0],
        checked=judged[1],
    )
