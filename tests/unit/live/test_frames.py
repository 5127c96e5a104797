"""Events on the wire."""

import json

from hypothesis import given
from hypothesis import strategies as st

from fleets.live import frames
from fleets.live.fragments import MAX_PARTIALS, Hint, Partial, Piece


def parsed(message: bytes) -> list[dict[str, str]]:
    """A small reader of the format, for these tests only."""
    events = []
    for block in message.decode().split("\n\n")[:-1]:
        event: dict[str, str] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(": ")
            event[name] = f"{event[name]}\n{value}" if name in event else value
        events.append(event)
    return events


@given(st.text())
def test_text_cannot_break_out_of_its_event(text: str) -> None:
    events = parsed(frames.frame(text, entry="e-1-0"))
    assert len(events) == 1
    assert set(events[0]) == {"id", "data"}


def test_a_beat_carries_the_servers_time_and_whether_redis_speaks() -> None:
    (event,) = parsed(frames.beat(is_live=False, entry=""))
    assert event["event"] == "beat"
    assert json.loads(event["data"])["live"] is False
    assert json.loads(event["data"])["now"].endswith("Z")


def test_patches_go_in_one_message_and_hints_in_another() -> None:
    pieces: list[Piece] = [
        Partial("a-1", "<p id=a-1></p>"),
        Hint("head"),
        Hint("head"),
        Partial("a-2", "x"),
    ]
    patch, hint = parsed(frames.pieces(pieces, entry="e-1-0"))
    assert patch["data"].count("<hx-partial") == 2
    assert (hint["event"], hint["data"]) == ("hint", "head")
    assert patch["id"] == hint["id"] == "e-1-0"


def test_more_patches_than_a_flush_may_hold_become_a_resync() -> None:
    many = [Partial(f"a-{number}", "x") for number in range(MAX_PARTIALS + 1)]
    (event,) = parsed(frames.pieces(many, entry="e-1-0"))
    assert event["event"] == "resync"


def test_nothing_to_say_is_no_message() -> None:
    assert frames.pieces([], entry="e-1-0") == b""


def test_a_patch_is_wrapped_so_that_table_rows_survive_the_parser() -> None:
    html = Partial("row-7", '<tr id="row-7"><td>1</td></tr>').markup()
    assert html.startswith('<hx-partial hx-target="#row-7" hx-swap="outerMorph"><tr')
