"""Storing events: frames of ended turns as the tick stores them, beside a bare COPY of the rows."""

import json
import statistics
import time
from collections.abc import Callable, Sequence

from django.db import connection, transaction
from django.utils import timezone

from bench import house
from bench.filling import People, fill_fleet
from bench.tables import say, show
from fleets.models import Turn
from fleets.platform_api.sse import StreamEvent
from fleets.services import event_store

TURNS, FRAMES = 500, 60
ROUNDS = 5
HEAD = ("how", "rows", "rows/s", "of raw COPY", "of COPY into the table")
_BARE = """
CREATE UNLOGGED TABLE IF NOT EXISTS bench_events (
    turn_day date, fleet_id bigint, turn_id bigint, session_id varchar, execution_id varchar,
    event_id integer, type varchar, event_at timestamptz, received_at timestamptz, data jsonb
)
"""
_COLUMNS = (
    "turn_day, fleet_id, turn_id, session_id, execution_id, event_id, type, event_at,"
    " received_at, data"
)


def main(_agents: list[int]) -> None:
    """Each way stores the same frames into an emptied table, in turn; the median of all rounds."""
    house.empty()
    say(f"{TURNS} turns of {FRAMES} frames, {ROUNDS} rounds")
    batches = _batches()
    rows = [row for batch in batches for row in event_store._rows(batch, timezone.now())]
    with connection.cursor() as cursor:
        cursor.execute(_BARE)
    ways: dict[str, Callable[[], None]] = {
        "raw COPY, table without index": lambda: _copy("bench_events", rows),
        "COPY into the table": lambda: _copy("fleets_turnevent", rows),
        "event_store.store": lambda: _store(batches),
        "the same batch again": lambda: _store(batches),
    }
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, store in ways.items():
            if name != "the same batch again":
                _truncate()
            began = time.perf_counter()
            store()
            took[name].append(time.perf_counter() - began)
    speeds = {name: len(rows) / statistics.median(seconds) for name, seconds in took.items()}
    raw, indexed = speeds["raw COPY, table without index"], speeds["COPY into the table"]
    show(
        "Ingest: frames of ended turns",
        HEAD,
        [
            (
                name,
                f"{len(rows):,}",
                f"{speed:,.0f}",
                f"{speed / raw:.0%}",
                f"{speed / indexed:.0%}",
            )
            for name, speed in speeds.items()
        ],
    )


def _batches() -> list[event_store.Batch]:
    fleet = fill_fleet(People.gather(), name="bench", agents=TURNS * 2)
    turns = Turn.objects.filter(run__fleet=fleet).select_related("agent", "run")[:TURNS]
    return [
        event_store.Batch(turn, f"execution-{turn.pk}", tuple(_frames(turn.pk))) for turn in turns
    ]


def _frames(turn_pk: int) -> list[StreamEvent]:
    text = "The parser keeps a pool of readers, and one of them outlives its file. " * 3
    found = []
    for number in range(1, FRAMES + 1):
        data = {"type": "message.part.updated", "data": {"turn": turn_pk, "delta": text}}
        found.append(StreamEvent(str(number), "message.part.updated", data, json.dumps(data)))
    return found


def _store(batches: Sequence[event_store.Batch]) -> None:
    with transaction.atomic():
        event_store.store(batches, received_at=timezone.now())


def _copy(table: str, rows: Sequence[tuple[object, ...]]) -> None:
    with (
        transaction.atomic(),
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({_COLUMNS}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)


def _truncate() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE fleets_turnevent, bench_events")
