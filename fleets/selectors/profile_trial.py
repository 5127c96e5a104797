"""One trial: the answers of both revisions side by side, and what each side came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Sum
from django.urls import reverse

from fleets.domain.money import column_precision, show_at_precision
from fleets.domain.profile_examples import Example, example_of
from fleets.domain.profile_trial import place_of
from fleets.domain.trial_figures import (
    Difference,
    Outcome,
    SideFigures,
    accepted_difference,
    share_difference,
    side_figures,
)
from fleets.models import Fleet, ProfileTrial, Task, Turn
from fleets.selectors.results import ResultRow, rows_of

PROMPT_CHARS: Final = 2_000
# What was launched is the trial; a later run of the same fleet is something else.
FIRST_RUN: Final = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """What one revision made of one example. `row` None: its task is not there (any more)."""

    number: int
    row: ResultRow | None
    outcome: Outcome
    cost: str
    agent_url: str


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One example with both answers, the one it is compared with first."""

    position: int
    prompt: str
    left_out: int
    check_words: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Differences:
    """From the one to the other; None while, or where, that is not known, or would be chance."""

    accepted: Difference | None = None
    time: Difference | None = None
    cost: Difference | None = None


@dataclass(frozen=True, slots=True)
class TrialView:
    """Everything the page shows of a trial."""

    pk: int
    number: int
    against: int
    created_at: datetime
    created_by: str
    fleet: Fleet
    is_over: bool
    done: int
    turns: int
    before: SideFigures
    after: SideFigures
    costs: Sequence[str]
    differences: Differences
    rows: Sequence[TrialRow]

    @property
    def cut_short(self) -> int:
        """How many turns were ended before they could answer: then the sides are not compared."""
        return self.before.cut_short + self.after.cut_short

    @property
    def numbers(self) -> tuple[int, int]:
        """Both revisions as they stand beside each other."""
        return (self.against, self.number)


def trial_view(trial: ProfileTrial) -> TrialView:
    """What stands now; `trial` has its fleet, its revisions and its author. Two queries."""
    examples = [
        example_of(prompt=one.get("prompt", ""), acceptance=one.get("acceptance", {}))
        for one in trial.examples
    ]
    tasks = Task.objects.filter(run__fleet=trial.fleet_id, run__number=FIRST_RUN)
    found = {place_of(row.position): row for row in rows_of(tasks)}
    tokens = _tokens(trial.fleet)
    costs = [row.cost_nusd for row in found.values() if row.cost_nusd]
    decimals = column_precision(costs) if costs else 2
    here = reverse("fleets:fleet_detail", args=[trial.fleet.public_id])
    rows = [
        _row(trial, at, example, found, tokens=tokens, decimals=decimals, here=here)
        for at, example in enumerate(examples, start=1)
    ]
    before, after = (side_figures(row.cells[side].outcome for row in rows) for side in (0, 1))
    done, turns = before.ended + after.ended, before.examples + after.examples
    return TrialView(
        pk=trial.pk,
        number=trial.revision.number,
        against=trial.against.number,
        created_at=trial.created_at,
        created_by=trial.created_by.get_username() if trial.created_by else "Fleetdash",
        fleet=trial.fleet,
        is_over=done == turns,
        done=done,
        turns=turns,
        before=before,
        after=after,
        costs=_costs(before, after),
        differences=_differences(before, after),
        rows=rows,
    )


def _differences(before: SideFigures, after: SideFigures) -> Differences:
    if not (before.has_ended and after.has_ended) or before.cut_short or after.cut_short:
        return Differences()
    is_partial = before.is_cost_partial or after.is_cost_partial
    return Differences(
        accepted=accepted_difference(before, after),
        time=share_difference(before.median_s, after.median_s, less="faster", more="slower"),
        cost=None
        if is_partial
        else share_difference(before.cost_nusd, after.cost_nusd, less="cheaper", more="dearer"),
    )


def _costs(*sides: SideFigures) -> list[str]:
    known = [side.cost_nusd for side in sides if side.cost_nusd]
    decimals = column_precision(known) if known else 2
    return [_cost(side, decimals=decimals) for side in sides]


def _cost(side: SideFigures, *, decimals: int) -> str:
    shown = show_at_precision(side.cost_nusd, decimals=decimals)
    return f"at least {shown}" if side.is_cost_partial and side.cost_nusd is not None else shown


def _row(
    trial: ProfileTrial,
    at: int,
    example: Example,
    found: Mapping[tuple[int, bool], ResultRow],
    *,
    tokens: Mapping[int, tuple[int | None, int | None]],
    decimals: int,
    here: str,
) -> TrialRow:
    cells = []
    for is_tried, number in ((False, trial.against.number), (True, trial.revision.number)):
        row = found.get((at, is_tried))
        cost = show_at_precision(row.cost_nusd if row else None, decimals=decimals)
        cells.append(
            Cell(
                number=number,
                row=row,
                outcome=_outcome(row, example, tokens),
                cost=cost,
                agent_url=f"{here}/agents/{row.agent_id}" if row else here,
            )
        )
    return TrialRow(
        position=at,
        prompt=example.prompt[:PROMPT_CHARS],
        left_out=max(0, len(example.prompt) - PROMPT_CHARS),
        check_words=example.check_words,
        cells=cells,
    )


def _outcome(
    row: ResultRow | None,
    example: Example,
    tokens: Mapping[int, tuple[int | None, int | None]],
) -> Outcome:
    is_asked = not example.check.asks_nothing
    if row is None:
        return Outcome(is_asked, "unknown")
    took = row.ended_at - row.started_at if row.ended_at and row.started_at else None
    input_tokens, output_tokens = tokens.get(row.pk, (None, None))
    return Outcome(
        is_asked=is_asked,
        state=row.state,
        verdict=row.verdict,
        cost_nusd=row.cost_nusd,
        time_s=took.total_seconds() if took else None,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
    )


def _tokens(fleet: Fleet) -> dict[int, tuple[int | None, int | None]]:
    """Tokens in and out by task, all its attempts together."""
    turns = Turn.objects.filter(run__fleet=fleet, run__number=FIRST_RUN).order_by()
    rows = turns.values_list("task").annotate(came=Sum("input_tokens"), went=Sum("output_tokens"))
    found: list[Any] = list(rows)
    return {task: (came, went) for task, came, went in found}
