"""A turn told from its frames, whatever the order and the habits of its harness."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.platform_api.reading import TurnFold, TurnReading, read_turn
from fleets.platform_api.sse import StreamEvent
from fleets.platform_api.types import TokenUsage


def frame(kind: str, **data: Any) -> StreamEvent:
    return StreamEvent(None, kind, data, "")


def text(whole: str | None, *, delta: str = "", part: str = "p", message: str = "m") -> StreamEvent:
    body = {"id": part, "messageID": message, "type": "text"}
    if whole is not None:
        body["text"] = whole
    return frame("message.part.updated", part=body, delta=delta)


def tool(part: str, name: str, status: str, call: str | None = None) -> StreamEvent:
    body = {"id": part, "type": "tool", "callID": call or part, "tool": name}
    return frame("message.part.updated", part={**body, "state": {"status": status}})


def step(part: str, tokens: Mapping[str, Any], cost: Any = 0) -> StreamEvent:
    body = {"id": part, "type": "step-finish", "tokens": tokens, "cost": cost}
    return frame("raw", backend="opencode", event={"type": "step_finish", "part": body})


def test_cumulative_text_is_not_repeated() -> None:
    reading = read_turn([text("Hel", delta="Hel"), text("Hello", delta="lo")])
    assert reading.text == "Hello"


def test_what_the_session_bus_wraps_once_more_is_read_too() -> None:
    """Contract 3.5: `{type, properties:{part}}`, the whole part each time."""
    bare = [text("Hel"), text("Hello"), tool("t", "bash", "completed")]
    wrapped = [frame(event.type, properties=event.data) for event in bare]
    reading = read_turn(wrapped)
    assert (reading.text, reading.warm) == ("Hello", True)
    assert reading.tool_calls == read_turn(bare).tool_calls != ()


def test_a_part_that_outlives_its_message_goes_on() -> None:
    reading = read_turn([text("One.", message="m1"), text("One. Two.", message="m2")])
    assert reading.text == "One. Two."


def test_a_part_id_that_begins_anew_keeps_what_was_said() -> None:
    reading = read_turn([text("One.", message="m1"), text("Other.", message="m2")])
    assert reading.text == "One.\n\nOther."


def test_a_lane_of_deltas_only_is_appended() -> None:
    reading = read_turn([text(None, delta="a"), text(None, delta="b"), text(None, delta="c")])
    assert reading.text == "abc"


def test_text_corrected_within_its_message_is_replaced() -> None:
    assert read_turn([text("wrong"), text("right")]).text == "right"


def test_a_tool_is_counted_once_through_its_states_and_echoes() -> None:
    native = {"type": "tool", "id": "t1", "callID": "call_9", "tool": "bash"}
    echo = frame("raw", event={"type": "tool_use", "part": native})
    reading = read_turn([tool("t1", "bash", "running"), tool("t1", "bash", "completed"), echo])
    assert [(call.tool, call.status) for call in reading.tool_calls] == [("bash", "completed")]


def test_tools_of_lost_frames_come_from_the_result() -> None:
    listed = [{"toolName": "read"}, {"toolName": "bash", "error": "no"}]
    reading = read_turn([tool("t1", "read", "completed"), frame("result", toolInvocations=listed)])
    assert [call.status for call in reading.tool_calls] == ["completed", "error"]


def test_tokens_of_single_steps_are_grouped_like_the_result() -> None:
    tokens = {"input": 10, "output": 3, "reasoning": 2, "cache": {"read": 100, "write": 1}}
    reading = read_turn([step("a", tokens), step("a", tokens), step("b", tokens)])
    assert reading.usage == TokenUsage(222, 10, 232, 4, 200, 2)
    assert not reading.usage_is_final


def test_the_results_tokens_win_over_the_steps() -> None:
    usage = {"inputTokens": 7, "outputTokens": 8, "totalTokens": 15}
    reading = read_turn([step("a", {"input": 1}), frame("done", tokenUsage=usage)])
    assert reading.usage == TokenUsage(input_tokens=7, output_tokens=8, total_tokens=15)
    assert reading.usage_is_final


def test_a_turn_without_figures_has_none() -> None:
    reading = read_turn([frame("result", outcome={"type": "completed"})])
    assert (reading.usage, reading.cost_usd) == (None, None)


def test_a_harness_cost_of_zero_is_no_price() -> None:
    assert read_turn([step("a", {}, 0)]).cost_usd is None
    assert read_turn([step("a", {}, Decimal("0.5")), step("b", {}, 1)]).cost_usd == Decimal("1.5")


def test_the_results_cost_is_exact() -> None:
    cost = Decimal("0.001234567")
    assert read_turn([frame("result", totalCostUsd=cost)]).cost_usd == cost
    assert read_turn([frame("result", totalCostUsd=0)]).cost_usd == 0


def test_a_budget_refusal_is_recognised() -> None:
    refused = frame("error", message="no budget", errorCode="budget_exceeded", code="x")
    reading = read_turn([refused, frame("done", outcome={"type": "failed"})])
    assert (reading.outcome_type, reading.error, reading.budget_refused) == (
        "failed",
        "no budget",
        True,
    )


@pytest.mark.parametrize(
    ("data", "message", "code"),
    [
        ({"message": "m", "code": "C"}, "m", "C"),
        ({"error": "m", "errorCode": "C"}, "m", "C"),
        ({"error": {"message": "m", "code": "C"}}, "m", "C"),
        ({"errorCode": "C"}, "C", "C"),
        ({}, "failed", None),
    ],
)
def test_an_error_in_every_form(data: Any, message: str, code: str | None) -> None:
    reading = read_turn([frame("error", **data)])
    assert (reading.error, reading.error_code, reading.outcome_type) == (message, code, "failed")


@pytest.mark.parametrize("outcome", ["cancelled", {"type": "cancelled"}])
def test_an_outcome_as_word_or_object(outcome: Any) -> None:
    assert read_turn([frame("result", outcome=outcome)]).outcome_type == "cancelled"


def test_only_a_terminal_frame_ends_a_turn() -> None:
    reading = read_turn([frame("status", status="completed"), frame("execution.completed", a=1)])
    assert not reading.ended
    assert read_turn([frame("result", outcome={"type": "completed"})]).ended


def test_what_really_ran_is_what_the_stream_says() -> None:
    backend = {
        "provider": "openai",
        "model": "gpt-5.5",
        "source": "request",
        "profile": {"digest": "00ff"},
    }
    reading = read_turn(
        [
            frame("execution.started", executionId="x", timestamp=5, effectiveBackend=backend),
            frame("raw", backend="codex", event={}),
            frame("session.updated", sessionId="ses_1"),
            frame("trace.id", traceId="0af7"),
        ]
    )
    assert (reading.execution_id, reading.model, reading.provider) == ("x", "gpt-5.5", "openai")
    assert (reading.harness, reading.backend_source, reading.profile_digest) == (
        "codex",
        "request",
        "00ff",
    )
    assert (reading.native_session_id, reading.trace_id) == ("ses_1", "0af7")


def test_a_machine_is_warm_at_the_first_model_or_tool_activity() -> None:
    fold = TurnFold()
    for event in (frame("start"), frame("status", status="started"), text("hi")):
        fold.add(event)
        assert not fold.reading().warm
    fold.add(frame("model-processing", phase="thinking"))
    assert fold.reading().warm
    assert read_turn([tool("t", "bash", "running")]).warm


def test_model_calls_are_counted_by_their_beginnings() -> None:
    begin = frame("raw", event={"type": "step_start", "part": {"type": "step-start"}})
    reading = read_turn([begin, begin, begin])
    assert (reading.model_calls, reading.last_line) == (3, "model call 3")


KINDS = st.sampled_from(
    ["execution.started", "message.part.updated", "raw", "result", "done", "error", "status",
     "trace.id", "session.updated", "warning", "whatever"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["type", "part", "id", "messageID", "text", "delta", "event", "tokens", "cost", "input",
     "cache", "outcome", "error", "message", "tokenUsage", "inputTokens", "totalCostUsd", "state",
     "effectiveBackend", "profile", "toolInvocations", "timing", "detail", "tool", "backend"]
)  # fmt: skip
WORDS = st.sampled_from(["tool", "text", "step-finish", "step_start", "completed", "\u202e", "x"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS | st.decimals(allow_nan=True),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=14,
)


@given(st.lists(st.tuples(KINDS, st.dictionaries(NAMES, ANYTHING, max_size=6)), max_size=6))
def test_no_frame_whatever_breaks_the_reading(frames: list[tuple[str, dict[str, Any]]]) -> None:
    reading = read_turn([StreamEvent(None, kind, data, "") for kind, data in frames])
    assert isinstance(reading, TurnReading)
    assert isinstance(reading.text, str)
    assert reading.cost_usd is None or reading.cost_usd.is_finite()
