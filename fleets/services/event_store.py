"""Stores session frames: COPY into a temporary table, then insert what is not there yet.

Repeating a batch changes nothing: a frame is known by session, execution, event id and turn day.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import DataError, connection, transaction

from fleets.models import Turn
from fleets.platform_api.sse import StreamEvent

_COLUMNS = (
    "turn_day, fleet_id, turn_id, session_id, execution_id, event_id, type, event_at,"
    " received_at, data"
)
# LIKE would take the identity column without its default, so the table is spelled out.
_STAGE = """
CREATE TEMP TABLE turnevent_stage (
    turn_day date, fleet_id bigint, turn_id bigint, session_id varchar, execution_id varchar,
    event_id integer, type varchar, event_at timestamptz, received_at timestamptz, data jsonb
) ON COMMIT DROP
"""
_MERGE = f"""
INSERT INTO fleets_turnevent ({_COLUMNS})
SELECT {_COLUMNS} FROM turnevent_stage
ON CONFLICT ON CONSTRAINT turn_event_once DO NOTHING
"""  # noqa: S608  # constants only


# What jsonb cannot hold: U+0000, and half of a surrogate pair. Whole pairs are kept.
_UNSTORABLE = re.compile(
    r"\\u0000"
    r"|(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_TEXT_LIMIT = 100_000
# Beats say that a turn lives, which its other frames say better: they are no content.
HEARTBEATS = frozenset({"model-processing", "heartbeat", "tool-heartbeat"})


@dataclass(frozen=True, slots=True)
class Batch:
    """Frames of one turn."""

    turn: Turn
    execution_id: str
    frames: tuple[StreamEvent, ...]


def store(batches: Iterable[Batch], *, received_at: datetime) -> int:
    """Store the frames of some turns in the caller's transaction; the number that were new."""
    rows = [row for batch in batches for row in _rows(batch, received_at)]
    if not rows:
        return 0
    try:
        return _copy(rows)
    except DataError:
        # One hostile frame must not lose the rest: all of this batch is kept as text instead.
        return _copy([(*row[:-1], _as_text(str(row[-1]))) for row in rows])


def _copy(rows: list[tuple[object, ...]]) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS pg_temp.turnevent_stage")
        cursor.execute(_STAGE)
        with cursor.copy(f"COPY turnevent_stage ({_COLUMNS}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        cursor.execute(_MERGE)
        return int(cursor.rowcount)


def _rows(batch: Batch, received_at: datetime) -> list[tuple[object, ...]]:
    turn = batch.turn
    rows: list[tuple[object, ...]] = []
    for frame in batch.frames:
        number = event_number(frame)
        if number is None or frame.type in HEARTBEATS:
            continue
        data = _storable(frame.raw) if frame.data else _as_text(frame.raw)
        rows.append(
            (
                turn.turn_day,
                turn.run.fleet_id,
                turn.pk,
                turn.session,
                batch.execution_id,
                number,
                frame.type[:60],
                None,
                received_at,
                data,
            )
        )
    return rows


def event_number(frame: StreamEvent) -> int | None:
    """The frame's id as a number; None for a frame that has none to be known by."""
    if frame.id is None or not frame.id.isascii() or not frame.id.isdigit() or len(frame.id) > 9:
        return None
    return int(frame.id)


def _storable(raw: str) -> str:
    """The frame's JSON, with a replacement character for what jsonb cannot hold."""
    if "\\u0000" not in raw and "\\ud" not in raw.lower():
        return raw
    return _UNSTORABLE.sub(lambda match: match[1] or "\\ufffd", raw)


def _as_text(raw: str) -> str:
    """A frame that is no usable JSON, as a JSON object that holds its text."""
    text = raw[:_TEXT_LIMIT].replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    return json.dumps({"text": text}).replace("\\u0000", "\\ufffd")


def ensure_partitions(today: date, *, days_ahead: int = 3) -> list[str]:
    """Make the partitions of today and the next days; the names of those that are new.

    A day whose frames are in the default partition already (no beat ran for days) stays there:
    Postgres refuses a partition for them, and they are found all the same.
    """
    made = []
    with connection.cursor() as cursor:
        for offset in range(days_ahead + 1):
            day = today + timedelta(days=offset)
            name = f"fleets_turnevent_{day:%Y%m%d}"
            cursor.execute(
                "SELECT to_regclass(%s) IS NULL AND NOT EXISTS"
                " (SELECT 1 FROM fleets_turnevent_default WHERE turn_day = %s)",
                [name, day],
            )
            if cursor.fetchone()[0]:
                cursor.execute(
                    f"CREATE TABLE IF NOT EXISTS {name} PARTITION OF fleets_turnevent"
                    f" FOR VALUES FROM ('{day}') TO ('{day + timedelta(days=1)}')"
                )
                made.append(name)
    return made
