"""The tools of a session: calls, failures, and how long half of them took at most."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from django.db import connection

MOST_CALLS: Final = 20_000
# A call is one part, told several times while it runs: the last telling counts.
_CALLS: Final = """
SELECT DISTINCT ON (turn_id, data #>> '{part,id}')
    left(data #>> '{part,tool}', 80), data #>> '{part,state,status}',
    data #> '{part,state,time,start}', data #> '{part,state,time,end}'
FROM fleets_turnevent
WHERE turn_id = ANY(%s) AND type = 'message.part.updated' AND data #>> '{part,type}' = 'tool'
ORDER BY turn_id, data #>> '{part,id}', event_id DESC
LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool. `median_ms` None: nobody said how long a call took."""

    name: str
    calls: int
    failures: int
    running: int
    median_ms: int | None


def tool_table(turn_pks: Sequence[int]) -> list[ToolRow]:
    """The tools of these turns, the most used first. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_CALLS, [list(turn_pks), MOST_CALLS])
        found = cursor.fetchall()
    by_tool: dict[str, list[tuple[str, int | None]]] = {}
    for name, status, start, end in found:
        took = _took(start, end)
        by_tool.setdefault(name or "tool", []).append((status or "", took))
    rows = [_row(name, calls) for name, calls in by_tool.items()]
    return sorted(rows, key=lambda row: (-row.calls, row.name))


def _row(name: str, calls: list[tuple[str, int | None]]) -> ToolRow:
    durations = [took for _, took in calls if took is not None]
    return ToolRow(
        name=name,
        calls=len(calls),
        failures=sum(status == "error" for status, _ in calls),
        running=sum(status in {"running", "pending"} for status, _ in calls),
        median_ms=int(median(durations)) if durations else None,
    )


def _took(start: object, end: object) -> int | None:
    try:
        return max(0, int(str(end)) - int(str(start)))
    except ValueError:
        return None
