"""Stored frames become what a person reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from fleets.domain.transcript import Frame, Item, ItemKind, TranscriptFold

DATA = Path(__file__).parents[2] / "contract" / "data" / "recorded_run_opencode.json"
RUN: list[dict[str, Any]] = json.loads(DATA.read_text())["events"]
FRAMES = [Frame(int(event["id"]), event["type"], event["data"]) for event in RUN]


def folded(frames: list[Frame]) -> list[Item]:
    fold = TranscriptFold()
    fold.add_all(frames)
    return fold.items


def part(number: int, kind: str, part_id: str = "p1", message: str = "m1", **fields: Any) -> Frame:
    delta = fields.pop("delta", None)
    body = {"id": part_id, "messageID": message, "type": kind, **fields}
    return Frame(number, "message.part.updated", {"part": body, "delta": delta})


def tool(number: int, part_id: str, command: str, status: str = "completed") -> Frame:
    state = {"status": status, "input": {"command": command}, "output": "x"}
    return part(number, "tool", part_id, tool="bash", state=state)


def test_the_recorded_run_reads_in_the_order_it_was_told() -> None:
    kinds = [item.kind for item in folded(FRAMES)]
    assert kinds == ["reasoning", "tool", "reasoning", "tool", "text", "reasoning", "text"]


def test_the_text_of_the_recorded_run_is_said_once_and_whole() -> None:
    said = [item.text for item in folded(FRAMES) if item.kind is ItemKind.TEXT]
    final = RUN[61]["data"]["finalText"]
    assert "\n\n".join(said).split() == final.split()


def test_echoes_add_no_tool_and_beats_add_nothing() -> None:
    tools = [item.tool for item in folded(FRAMES) if item.tool]
    assert [(use.name, use.status, use.duration_ms) for use in tools] == [
        ("webfetch", "completed", 118),
        ("bash", "completed", 10),
    ]


@pytest.mark.parametrize("length", range(1, len(FRAMES), 7))
def test_a_fold_in_two_parts_is_the_fold_of_all(length: int) -> None:
    fold = TranscriptFold()
    fold.add_all(FRAMES[:length])
    fold.add_all(FRAMES)
    assert [(item.key, item.text) for item in fold.items] == [
        (item.key, item.text) for item in folded(FRAMES)
    ]


def test_a_part_grows_in_place() -> None:
    frames = [part(1, "text", text="one", delta="one"), part(2, "text", text="one two")]
    (item,) = folded(frames)
    assert (item.text, item.first, item.last) == ("one two", 1, 2)


def test_a_part_that_goes_on_under_another_message_says_only_what_is_new() -> None:
    frames = [
        part(1, "text", text="one"),
        part(2, "text", message="m2", text="one two", delta=" two"),
        part(3, "text", message="m2", text="one two three", delta=" three"),
    ]
    assert [item.text for item in folded(frames)] == ["one", "two three"]


def test_a_part_that_begins_anew_under_another_message_is_whole() -> None:
    frames = [part(1, "text", text="one"), part(2, "text", message="m2", text="two", delta="two")]
    assert [item.text for item in folded(frames)] == ["one", "two"]


def test_pieces_without_the_whole_are_joined() -> None:
    frames = [part(1, "text", delta="one"), part(2, "text", delta=" two")]
    assert [item.text for item in folded(frames)] == ["one two"]


def test_a_tool_that_is_told_twice_is_one_and_ends_with_its_last_word() -> None:
    frames = [tool(1, "t1", "pytest", "running"), tool(2, "t1", "pytest", "error")]
    (item,) = folded(frames)
    assert item.tool is not None
    assert (item.tool.target, item.tool.has_failed) == ("pytest", True)


def test_five_equal_calls_in_a_row_are_counted_and_another_one_begins_again() -> None:
    frames = [tool(number, f"t{number}", "pytest -q") for number in range(1, 6)]
    frames += [tool(6, "t6", "ls"), tool(7, "t7", "pytest -q")]
    counts = [item.tool.equal_calls for item in folded(frames) if item.tool]
    assert counts == [1, 2, 3, 4, 5, 1, 1]


def test_the_answer_of_a_result_stands_in_for_text_that_was_lost() -> None:
    result = Frame(9, "result", {"finalText": "All done."})
    assert [item.text for item in folded([result])] == ["All done."]
    assert len(folded([part(1, "text", text="All done."), result])) == 1


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"part": None},
        {"part": []},
        {"part": {"type": "tool", "state": "x", "tool": 7}},
        {"part": {"type": "text", "text": 7}},
        {"part": {"type": ["text"]}},
        {"part": {"type": "tool", "state": {"time": [], "input": [1], "output": {"a": 1}}}},
        {"properties": {"part": {"type": "text", "text": "x"}}},
    ],
)
def test_a_frame_of_another_shape_breaks_nothing(data: dict[str, Any]) -> None:
    folded([Frame(1, "message.part.updated", data), Frame(2, "result", data)])


def test_keys_are_safe_in_an_address_whatever_the_ids_are() -> None:
    (item,) = folded([part(1, "text", '"><script>', '" onclick="', text="x")])
    assert item.key.isalnum()
