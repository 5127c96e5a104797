"""Every documented variant of an answer is accepted, a bad field is named, the rest ignored."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.platform_api.answers import results
from fleets.platform_api.errors import PlatformSurprise
from fleets.platform_api.fields import FieldError
from fleets.platform_api.resources import fleets, keys, sandboxes, sessions, turns
from fleets.platform_api.types import AbortAnswer, TokenUsage
from tests.unit.platform_api.wire import answer, wire

KEY = {
    "id": "key-1",
    "name": "fleet",
    "budgetUsd": Decimal("3"),
    "budgetSpent": Decimal("0.000000001"),
    "budgetReserved": 1,
    "budgetRemaining": Decimal("1.5"),
    "revokedAt": None,
    "createdAt": "2026-11-29T10:00:00Z",
    "news": {"ignored": True},
}
MACHINE = {"machineId": "m-1", "sandboxId": None, "status": "hibernating"}


@pytest.mark.parametrize(
    "body", [{"success": True, "data": KEY}, KEY, {"data": KEY, "more": 1}, {"key": KEY}]
)
def test_a_key_with_and_without_envelope(body: Any) -> None:
    row = keys.parse_key(body)
    assert (row.id, row.budget_usd, row.spent_usd) == ("key-1", Decimal(3), Decimal("0.000000001"))
    assert (row.reserved_usd, row.remaining_usd) == (Decimal(1), Decimal("1.5"))
    assert row.created_at == datetime(2026, 11, 29, 10, tzinfo=UTC)
    assert row.revoked_at is None


def test_what_the_platform_does_not_say_is_unknown_and_never_zero() -> None:
    row = keys.parse_key({"id": "k"})
    figures = (row.budget_usd, row.spent_usd, row.reserved_usd, row.remaining_usd)
    assert figures == (None, None, None, None)


@pytest.mark.parametrize(
    "body",
    [
        {"data": [KEY]},
        [KEY],
        {"keys": [KEY]},
        {"data": {"keys": [KEY]}},
        {"success": True, "data": {"children": [KEY]}},
    ],
)
def test_a_list_of_keys_in_every_wrapping(body: Any) -> None:
    assert [row.id for row in keys.parse_keys(body)] == ["key-1"]


@pytest.mark.parametrize("value", ["much", True, [], "NaN", "Infinity", Decimal("1e400")])
def test_an_impossible_amount_is_named(value: Any) -> None:
    with pytest.raises(FieldError, match=r"answer\.data\.budgetSpent"):
        keys.parse_key({"data": {**KEY, "budgetSpent": value}})


def test_a_success_that_says_false_is_none() -> None:
    with pytest.raises(FieldError, match="success"):
        keys.parse_key({"success": False, "data": KEY})


def test_a_surprise_names_operation_and_field() -> None:
    line = wire(answer(200, {"fleet": {"fleetId": "f", "status": "running", "machines": [{}]}}))
    with pytest.raises(PlatformSurprise) as caught:
        line.run(lambda client: client.fleets.get("f"))
    assert "answer.fleet.machines[0].machineId" in str(caught.value)
    assert caught.value.operation == "fleets.get"


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_fleet_keeps_unknown_words_raw(wrapped: bool) -> None:
    row = {"fleetId": "f", "status": "levitating", "machines": [MACHINE], "parent": None}
    fleet = fleets.parse_fleet({"fleet": row} if wrapped else row)
    assert (fleet.status, fleet.machines[0].status) == ("levitating", "hibernating")
    assert fleet.parent is None
    assert fleet.machines[0].sandbox_id is None


@pytest.mark.parametrize("error", ["out of memory", {"message": "out of memory", "code": "OOM"}])
def test_a_machines_error_as_text_or_object(error: Any) -> None:
    fleet = fleets.parse_fleet(
        {"fleetId": "f", "status": "running", "machines": [{**MACHINE, "error": error}]}
    )
    assert fleet.machines[0].error == "out of memory"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, "deleted"),
        ({"success": True}, "deleted"),
        ({"fleetId": "f", "status": "deleted"}, "deleted"),
        ({"fleetId": "f", "status": "deleting", "machines": [{"machineId": "m"}]}, "deleting"),
    ],
)
def test_a_deletion_whatever_its_body(body: Any, status: str) -> None:
    deletion = fleets.parse_deletion(body, fleet_id="f")
    assert (deletion.fleet_id, deletion.status) == ("f", status)
    assert deletion.is_done is (status == "deleted")


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ({"success": True}, "destroyed"),
        ({"sandboxId": "s", "outcome": "already_absent"}, "already_absent"),
        ({"success": False}, "unknown"),
    ],
)
def test_a_sandbox_deletion_in_both_forms(body: Any, outcome: str) -> None:
    assert sandboxes.parse_deletion(body, sandbox_id="s").outcome == outcome


def test_a_sandbox_keeps_no_connection_token() -> None:
    row = sandboxes.parse_sandbox(
        {"id": "s", "status": "running", "connection": {"authToken": "t0ken", "runtimeUrl": "u"}}
    )
    assert "t0ken" not in repr(row.raw)


@pytest.mark.parametrize("wrap", ["data", "session", None])
def test_a_session_state_under_either_name(wrap: str | None) -> None:
    body: Any = {"state": "running", "activeExecution": {"id": "x-1", "status": "running"}}
    state = sessions.parse_state({wrap: body} if wrap else body)
    assert (state.status, state.active_execution_id) == ("running", "x-1")


def test_a_session_row_reads_its_figures() -> None:
    page = sessions.parse_page(
        {
            "data": {
                "total": 1,
                "sessions": [
                    {
                        "sessionId": "agent-1",
                        "status": "failed",
                        "lastEventAt": 1_764_400_000_000,
                        "failureReason": {"executionId": "x", "message": "no model"},
                        "tokenUsage": {"inputTokens": 5},
                        "costUsd": Decimal("0.0123"),
                    }
                ],
            }
        }
    )
    row = page.sessions[0]
    assert (page.total, row.failure_reason, row.cost_usd) == (1, "no model", Decimal("0.0123"))
    assert row.token_usage == TokenUsage(input_tokens=5)
    assert row.last_event_at == datetime.fromtimestamp(1_764_400_000, tz=UTC)


@pytest.mark.parametrize(
    ("body", "admitted"),
    [
        ({"dispatched": True, "alreadyExisted": False, "executionId": "x"}, True),
        ({"dispatched": False, "alreadyExisted": True, "executionId": "x"}, True),
        ({"dispatched": False, "alreadyExisted": False, "executionId": "other"}, False),
        ({"dispatched": False, "executionId": "other"}, False),
    ],
)
def test_a_receipt_says_whether_the_turn_was_admitted(body: Any, admitted: bool) -> None:
    receipt = turns.parse_receipt(
        {"data": {"sessionId": "a", "status": "running", **body}}, session_id="a"
    )
    assert receipt.admitted is admitted


def test_a_result_of_either_lane() -> None:
    finished = results.parse_result(
        {"data": {"success": True, "status": "success", "response": "hi", "costUsd": Decimal(1)}}
    )
    assert (finished.status, finished.success, finished.response) == ("success", True, "hi")
    streamed = results.parse_result(
        {"outcome": {"type": "completed"}, "finalText": "hi", "tokenUsage": {"totalTokens": 3}}
    )
    assert (streamed.status, streamed.success, streamed.response) == ("completed", True, "hi")
    assert streamed.usage == TokenUsage(total_tokens=3)
    failed = results.parse_result(
        {"success": False, "status": "failed", "error": {"message": "no", "code": "EXEC_TIMEOUT"}}
    )
    assert (failed.success, failed.error, failed.error_code) == (False, "no", "EXEC_TIMEOUT")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"data": {"cancelled": True}}, AbortAnswer(cancelled=True, reason=None)),
        ({"cancelled": False, "noopReason": "idle"}, AbortAnswer(cancelled=False, reason="idle")),
        ({"data": {"cancelled": False, "reason": "x"}}, AbortAnswer(cancelled=False, reason="x")),
    ],
)
def test_an_abort_in_every_form(body: Any, expected: AbortAnswer) -> None:
    assert sessions.parse_abort(body) == expected


def test_a_miss_is_nothing_and_not_an_error() -> None:
    line = wire(answer(404, {"error": "not found"}))
    assert line.run(lambda client: client.sessions.turn("s", "a", "t1-1")) is None
    assert line.run(lambda client: client.sessions.result("s", "a")) is None
    aborted = line.run(lambda client: client.sessions.abort("s", "a"))
    assert aborted == AbortAnswer(cancelled=False, reason="not found")


@pytest.mark.parametrize(
    "body", [None, {"data": None}, {"turnId": "t1-1", "sessionId": "a", "result": None}]
)
def test_a_miss_may_be_a_null(body: Any) -> None:
    """Contract 3.3: the fix makes a miss a null."""
    line = wire(httpx.Response(200, content=json.dumps(body)))
    assert line.run(lambda client: client.sessions.turn("s", "a", "t1-1")) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.decimals(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["data", "id", "status", "fleet", "machines", "sessions", "error", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(body=JSON)
def test_no_answer_whatever_breaks_a_parser_in_another_way(body: Any) -> None:
    for parse in (
        keys.parse_key,
        keys.parse_keys,
        keys.parse_minted,
        fleets.parse_fleet,
        fleets.parse_fleets,
        sandboxes.parse_sandbox,
        sandboxes.parse_sandboxes,
        sessions.parse_page,
        sessions.parse_state,
        results.parse_result,
        results.parse_turn,
        sessions.parse_abort,
        lambda answer: turns.parse_receipt(answer, session_id="a"),
        lambda answer: fleets.parse_deletion(answer, fleet_id="f"),
    ):
        try:
            parse(body)
        except FieldError:
            continue
