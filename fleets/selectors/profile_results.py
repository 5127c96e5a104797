"""What came of a profile's revisions: turns, money, time and failures, from the turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.postgres.fields import ArrayField
from django.db.models import Aggregate, Count, F, FloatField, Max, Q, QuerySet
from django.db.models.functions import Cast, Extract

from fleets.domain.money import column_precision, show_at_precision
from fleets.domain.status import TurnOutcome
from fleets.models import Profile, Turn
from fleets.selectors.profile_usage import judged_answers

_HALF_AND_MOST: Final = "0.5, 0.9"


class _Quantiles(Aggregate):
    """Median and ninth decile of an expression, as a list of two, or None."""

    function = "percentile_cont"
    template = f"%(function)s(ARRAY[{_HALF_AND_MOST}]) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = ArrayField(FloatField())


@dataclass(frozen=True, slots=True)
class RevisionResults:
    """One revision's ended turns. None is unknown. Money is formatted, times are in seconds.

    `accepted` of `checked` answers; None while no answer was checked.
    """

    number: int
    fleets: int
    turns: int
    completed: int
    accepted: int | None
    checked: int
    cost_median: str
    cost_p90: str
    time_median_s: float | None
    time_p90_s: float | None
    failures: Sequence[tuple[str, str, int]]


def never_ran(number: int) -> RevisionResults:
    """What stands for a revision that nothing is known of."""
    unknown = show_at_precision(None, decimals=2)
    return RevisionResults(number, 0, 0, 0, None, 0, unknown, unknown, None, None, ())


def revision_results(profile: Profile) -> Sequence[RevisionResults]:
    """All revisions that ran, newest first, their trials left out. Three queries."""
    ended = _ended(profile).filter(run__fleet__trial__isnull=True)
    took_s = Cast(
        Extract(F("ended_at") - F("requested_at"), "epoch", output_field=FloatField()),
        FloatField(),
    )
    rows = list(
        ended.annotate(number=F("agent__profile__revision__number"))
        .values("number")
        .annotate(
            in_fleets=Count("run__fleet", distinct=True),
            all_turns=Count("pk"),
            done=Count("pk", filter=Q(outcome=TurnOutcome.COMPLETED)),
            cost=_Quantiles("cost_nusd"),
            time=_Quantiles(took_s),
            revision=Max("agent__profile__revision"),
        )
        .order_by("-number")
    )
    failures = _failures(ended)
    costs = [round(row["cost"][0]) for row in rows if row["cost"]]
    decimals = column_precision(costs) if costs else 2
    judged = judged_answers(
        "agent__profile__revision",
        of=[row["revision"] for row in rows],
        run__fleet__trial__isnull=True,
    )
    return [
        _results(row, failures, judged.get(row["revision"], (0, 0)), decimals=decimals)
        for row in rows
    ]


def trial_turns(profile: Profile) -> int:
    """Ended turns of its trials, which `revision_results` leaves out. One query."""
    return _ended(profile).filter(run__fleet__trial__isnull=False).count()


def _ended(profile: Profile) -> "QuerySet[Turn]":
    return Turn.objects.filter(
        agent__profile__revision__profile=profile, outcome__isnull=False
    ).order_by()


def _failures(ended: Any) -> dict[int, list[tuple[str, str, int]]]:
    rows = (
        ended.exclude(outcome=TurnOutcome.COMPLETED)
        .values_list("agent__profile__revision__number", "outcome", "error_code")
        .annotate(n=Count("pk"))
        .order_by("-n")
    )
    found: dict[int, list[tuple[str, str, int]]] = {}
    for number, outcome, code, count in rows:
        found.setdefault(number, []).append((outcome, code, count))
    return found


def _results(
    row: Mapping[str, Any],
    failures: dict[int, list[tuple[str, str, int]]],
    judged: tuple[int, int],
    *,
    decimals: int,
) -> RevisionResults:
    cost = [round(one) for one in row["cost"]] if row["cost"] else [None, None]
    time = row["time"] or [None, None]
    return RevisionResults(
        number=row["number"],
        fleets=row["in_fleets"],
        turns=row["all_turns"],
        completed=row["done"],
        accepted=judged[0] if judged[1] else None,
        checked=judged[1],
        cost_median=show_at_precision(cost[0], decimals=decimals),
        cost_p90=show_at_precision(cost[1], decimals=decimals),
        time_median_s=time[0],
        time_p90_s=time[1],
        failures=failures.get(row["number"], []),
    )
