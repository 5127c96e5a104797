"""What the agents answered last: a row per task of each agent's newest run, and all for export."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import F, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Left, Length

from fleets.domain.answer_check import Verdict
from fleets.domain.money import usd_string
from fleets.models import Fleet, Task, Turn
from fleets.selectors.agents import GROUPS, CountTab
from fleets.selectors.newest_tasks import newest_tasks

MOST_ROWS: Final = 100
# An answer is hostile and of any length: so much is shown, the rest is in the export.
PREVIEW_CHARS: Final = 4_000
PROMPT_CHARS: Final = 600
# What the tabs call a verdict.
VERDICTS: Final[Mapping[str, tuple[Verdict, ...]]] = {
    "accepted": (Verdict.ACCEPTED,),
    "refused": (Verdict.REFUSED,),
    "waiting": (Verdict.WAITING_PERSON, Verdict.WAITING_COMMAND),
    "unchecked": (Verdict.UNCHECKED,),
}
EXPORT_CHARS: Final = 262_144


@dataclass(frozen=True, slots=True)
class ResultRow:
    """The answer to one task. `response` holds at most `PREVIEW_CHARS` signs of `response_chars`.

    `task_id` is that of a pool's list, "" elsewhere; `agent_id` "" while nobody has taken it.
    """

    pk: int
    position: int
    task_id: str
    agent_id: str
    session_id: str
    prompt: str
    state: str
    reason: str
    response: str
    response_chars: int
    error: str
    verdict: str
    verdict_reason: str
    decided_by: str
    trace_id: str
    cost_nusd: int | None
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def name(self) -> str:
        """What the row is called: the task of a list, else the agent."""
        return self.task_id or self.agent_id

    @property
    def can_be_decided(self) -> bool:
        """Whether a person accepts or refuses it, or has, and may think again."""
        return self.verdict == Verdict.WAITING_PERSON or bool(self.decided_by)

    @property
    def first_line(self) -> str:
        """What stands in the folded row."""
        lines = (self.response or self.error).strip().splitlines()
        return lines[0][:200] if lines else ""

    @property
    def left_out(self) -> int:
        """Signs of the answer that the page does not show."""
        return max(0, self.response_chars - len(self.response))


@dataclass(frozen=True, slots=True)
class ResultTable:
    """One page of answers; `after` is the position to go on from, None on the last."""

    rows: Sequence[ResultRow]
    after: int | None


def result_table(
    fleet: Fleet, *, group: str = "", verdict: str = "", after: int = -1, limit: int = MOST_ROWS
) -> ResultTable:
    """A page of the newest answers; `group` and `verdict` are keys of `GROUPS` and `VERDICTS`.

    One query.
    """
    limit = min(limit, MOST_ROWS)
    tasks = _tasks(fleet).filter(position__gt=after)
    if group:
        tasks = tasks.filter(state__in=GROUPS.get(group, ()))
    if verdict:
        tasks = tasks.filter(verdict__in=VERDICTS.get(verdict, ()))
    found = [_row(values) for values in _values(tasks, chars=PREVIEW_CHARS)[: limit + 1]]
    rows = found[:limit]
    return ResultTable(rows, rows[-1].position if len(found) > limit else None)


def result_row(fleet: Fleet, task_pk: int) -> ResultRow | None:
    """The answer to one task of the fleet, for its own row. One query."""
    tasks = Task.objects.filter(pk=task_pk, run__fleet=fleet).order_by()
    return next((_row(values) for values in _values(tasks, chars=PREVIEW_CHARS)), None)


def verdict_tabs(fleet: Fleet) -> list[CountTab]:
    """What became of the answers, out of the fleet's own counters; none without a check."""
    if not fleet.checks_answers:
        return []
    judged = fleet.answers_accepted + fleet.answers_refused + fleet.answers_waiting
    counted = {
        "accepted": fleet.answers_accepted,
        "refused": fleet.answers_refused,
        "waiting": fleet.answers_waiting,
        "unchecked": max(0, fleet.tasks_completed - judged),
    }
    labels = {"waiting": "To be checked"}
    return [
        CountTab(key, labels.get(key, key.capitalize()), count, VERDICTS[key][0].value)
        for key, count in counted.items()
    ]


def rows_of(tasks: "QuerySet[Task]") -> list[ResultRow]:
    """The answers to these few tasks, by position. One query."""
    return [_row(values) for values in _values(tasks.order_by("position"), chars=PREVIEW_CHARS)]


def export_rows(fleet: Fleet) -> Iterator[dict[str, Any]]:
    """Every answer with full precision: dollars as decimal strings, unknown as None. One query."""
    for values in _values(_tasks(fleet), chars=EXPORT_CHARS).iterator(chunk_size=500):
        row = _row(values)
        yield {
            "taskId": row.task_id or None,
            "agentId": row.agent_id or None,
            "sessionId": row.session_id or None,
            "status": row.state,
            "reason": row.reason or None,
            "response": row.response or None,
            "error": row.error or None,
            "verdict": row.verdict or None,
            "verdictReason": row.verdict_reason or None,
            "decidedBy": row.decided_by or None,
            "traceId": row.trace_id or None,
            "costUsd": None if row.cost_nusd is None else usd_string(row.cost_nusd),
            "startedAt": _instant(row.started_at),
            "endedAt": _instant(row.ended_at),
        }


def shared_failure(fleet: Fleet) -> str:
    """The one error that all failed tasks have, "" if they differ. One query."""
    errors = (
        _tasks(fleet)
        .filter(state__in=GROUPS["failed"])
        .order_by()
        .values_list("error", flat=True)
        .distinct()[:2]
    )
    found = list(errors)
    return found[0] if len(found) == 1 else ""


def _instant(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat()


def _tasks(fleet: Fleet) -> "QuerySet[Task]":
    return newest_tasks(fleet).order_by("position")


def _values(tasks: "QuerySet[Task]", *, chars: int) -> "QuerySet[Any, Any]":
    latest = Turn.objects.filter(task=OuterRef("pk")).order_by("-attempt")
    return tasks.annotate(
        shown=Left("response", chars),
        chars=Length("response"),
        asked=Left("prompt", PROMPT_CHARS),
        session=Subquery(latest.values("session_id")[:1]),
        trace=Subquery(latest.values("trace_id")[:1]),
        cost=Subquery(_cost_of_task()),
        agent_name=F("agent__agent_id"),
        decided_by=F("verdict_by__username"),
    ).values(
        "pk",
        "position",
        "name",
        "agent_name",
        "session",
        "asked",
        "state",
        "reason",
        "shown",
        "chars",
        "error",
        "verdict",
        "verdict_reason",
        "decided_by",
        "trace",
        "cost",
        "started_at",
        "ended_at",
    )


def _cost_of_task() -> "QuerySet[Any, Any]":
    """What all attempts at the task cost together; NULL when no attempt's cost is known."""
    turns = Turn.objects.filter(task=OuterRef("pk")).order_by().values("task")
    return turns.annotate(total=Sum("cost_nusd")).values("total")


def _row(values: dict[str, Any]) -> ResultRow:
    return ResultRow(
        pk=values["pk"],
        position=values["position"],
        task_id=values["name"],
        agent_id=values["agent_name"] or "",
        session_id=values["session"] or "",
        prompt=values["asked"],
        state=values["state"],
        reason=values["reason"],
        response=values["shown"],
        response_chars=values["chars"],
        error=values["error"],
        verdict=values["verdict"],
        verdict_reason=values["verdict_reason"],
        decided_by=values["decided_by"] or "",
        trace_id=values["trace"] or "",
        cost_nusd=values["cost"],
        started_at=values["started_at"],
        ended_at=values["ended_at"],
    )
