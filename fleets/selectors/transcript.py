"""A page of a turn's transcript out of its stored frames, bounded whatever the turn holds."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Func, IntegerField, QuerySet

from fleets.domain.transcript import Frame, Item, TranscriptFold, keys_of
from fleets.models import TurnEvent

# A page holds so many frames, and no more than so much of them; at least a few in any case.
MOST_FRAMES: Final = 300
MOST_BYTES: Final = 2 * 1024 * 1024
LEAST_FRAMES: Final = 5
# A part that goes on after a page is shown where it ends; so far ahead that is looked for.
LOOK_AHEAD: Final = 60
# What a page shows none of: echoes of other frames, beats, and our own bookkeeping.
_SILENT: Final = ("raw", "status", "start", "session.updated", "trace.id", "execution.started")


@dataclass(frozen=True, slots=True)
class Transcript:
    """Some items of a turn. `before` leads to the page before; `after` to the one that follows.

    `upto` is the last frame that was looked at.
    """

    items: Sequence[Item]
    upto: int
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class RawFrame:
    """A stored frame as it came, for the tab of raw events."""

    pk: int
    turn: int
    number: int
    type: str
    received_at: object
    data: object


def transcript(turn_pk: int, *, before: int | None = None) -> Transcript:
    """The last page of a turn, or the one that ends before a frame. At most four queries."""
    spoken = _spoken(turn_pk)
    frames, more = _window(spoken if before is None else spoken.filter(event_id__lt=before))
    fold = TranscriptFold()
    fold.add_all(frames)
    items = fold.items
    following = None
    if before is not None:
        ahead = _frames(spoken.filter(event_id__gte=before).order_by("event_id")[:LOOK_AHEAD])
        continued = keys_of(ahead)
        items = [item for item in items if item.key not in continued]
        following = ahead[-1].number + 1 if ahead else None
    first = frames[0].number if frames else 0
    return Transcript(items, fold.upto, first if more else None, following)


def page_of(turn_pk: int, number: int) -> int | None:
    """The `before` of a page with this frame in its later half; None for the last page."""
    later = _spoken(turn_pk).filter(event_id__gt=number).order_by("event_id")
    numbers = list(later.values_list("event_id", flat=True)[: MOST_FRAMES // 3])
    return numbers[-1] if len(numbers) == MOST_FRAMES // 3 else None


def item_at(turn_pk: int, number: int) -> Item | None:
    """The item that a frame brought, as that frame told it. One query."""
    found = _spoken(turn_pk).filter(event_id=number)
    fold = TranscriptFold()
    fold.add_all(_frames(found))
    return fold.items[0] if fold.items else None


def frame_at(turn_pk: int, number: int) -> RawFrame | None:
    """One stored frame. One query."""
    return next(iter(_raw(TurnEvent.objects.filter(turn_id=turn_pk, event_id=number))), None)


def whole_text(turn_pk: int, number: int) -> str:
    """Everything a frame holds for people: an output or a text, else the frame as JSON."""
    item = item_at(turn_pk, number)
    if item is not None and item.tool is not None:
        return item.tool.output
    if item is not None:
        return item.text
    frame = frame_at(turn_pk, number)
    return json.dumps(frame.data if frame else None, indent=2, ensure_ascii=False)


def raw_frames(turn_pk: int, *, before: int | None = None, most: int = 100) -> list[RawFrame]:
    """Stored frames of a turn, newest first. One query."""
    rows = TurnEvent.objects.filter(turn_id=turn_pk)
    if before is not None:
        rows = rows.filter(event_id__lt=before)
    return _raw(rows.order_by("-event_id")[:most])


def frames_after(turn_pk: int, number: int) -> list[Frame]:
    """The page's worth of frames after this one, oldest first. Two queries."""
    frames, _ = _window(_spoken(turn_pk).filter(event_id__gt=number))
    return frames


def _spoken(turn_pk: int) -> "QuerySet[TurnEvent]":
    return TurnEvent.objects.filter(turn_id=turn_pk).exclude(type__in=_SILENT)


def _window(rows: "QuerySet[TurnEvent]") -> tuple[list[Frame], bool]:
    """The last frames of these within a page's bounds, oldest first; whether there are more.

    Sizes are asked first, so that a page of huge frames is a short one.
    """
    size = Func("data", function="pg_column_size", output_field=IntegerField())
    sizes = list(
        rows.annotate(size=size)
        .order_by("-event_id")
        .values_list("event_id", "size")[: MOST_FRAMES + 1]
    )
    total, kept = 0, 0
    for _, here in sizes[:MOST_FRAMES]:
        total += here
        if total > MOST_BYTES and kept >= LEAST_FRAMES:
            break
        kept += 1
    if not kept:
        return [], False
    first = sizes[kept - 1][0]
    found = rows.filter(event_id__gte=first, event_id__lte=sizes[0][0]).order_by("event_id")
    return _frames(found), len(sizes) > kept


def _frames(rows: "QuerySet[TurnEvent]") -> list[Frame]:
    return [
        Frame(number, kind, data if isinstance(data, dict) else {})
        for number, kind, data in rows.values_list("event_id", "type", "data")
    ]


def _raw(rows: "QuerySet[TurnEvent]") -> list[RawFrame]:
    return [
        RawFrame(row.pk, row.turn_id, row.event_id, row.type, row.received_at, row.data)
        for row in rows
    ]
