"""One short line about a frame: what an operator reads as the last event."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.platform_api.reading import describe_event
from fleets.platform_api.sse import StreamEvent


def line(kind: str, **data: Any) -> str | None:
    return describe_event(StreamEvent(None, kind, data, ""))


def tool(
    name: str, *, status: str = "completed", title: str = "", **given_input: Any
) -> str | None:
    state = {"status": status, "input": given_input, "title": title}
    return line("message.part.updated", part={"type": "tool", "tool": name, "state": state})


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (tool("bash", command="pytest -q"), "bash: pytest -q"),
        (tool("read", filePath="src/app.py"), "reading src/app.py"),
        (tool("edit", file_path="src/app.py"), "editing src/app.py"),
        (tool("webfetch", url="https://example.org"), "webfetch: https://example.org"),
        (tool("bash", status="error", command="make"), "bash: make (failed)"),
        (tool("mystery", title="looking around"), "mystery: looking around"),
        (tool("mystery"), "mystery"),
        (line("message.part.updated", part={"type": "reasoning"}), "thinking"),
        (line("message.part.updated", part={"type": "text"}), "writing its answer"),
        (line("status", status="processing", detail="started the model"), "started the model"),
        (line("error", message="no model"), "failed: no model"),
        (line("error", error={"message": "no model"}), "failed: no model"),
        (line("error"), "failed"),
        (line("result", outcome={"type": "completed"}), "finished"),
        (line("done", outcome={"type": "cancelled"}), "ended: cancelled"),
        (line("warning", code="EVENTS_EXPIRED"), "warning: EVENTS_EXPIRED"),
        (line("raw", event={"type": "step_start"}), "model call"),
    ],
)
def test_a_frame_reads_like_this(found: str | None, expected: str) -> None:
    assert found == expected


@pytest.mark.parametrize("kind", ["model-processing", "heartbeat", "session.updated", "unheard-of"])
def test_frames_that_say_nothing_new_have_no_line(kind: str) -> None:
    assert line(kind, phase="thinking") is None


@given(st.text(min_size=0, max_size=4000))
def test_hostile_text_is_one_bounded_printable_line(text: str) -> None:
    described = tool("bash", command=text)
    assert described is not None
    assert len(described) <= 120
    assert described.isprintable()


def test_text_that_turns_the_reading_direction_is_disarmed() -> None:
    assert tool("bash", command="a\u202eb\u2066c\x1b[31m\nd") == "bash: a b c [31m d"
