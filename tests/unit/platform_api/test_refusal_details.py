"""What a refusal's body says beside its message reaches the caller (contract 1.2)."""

import json
from decimal import Decimal
from typing import Any

import httpx
import pytest

from fleets.platform_api import errors as e
from fleets.platform_api import operations as op
from fleets.platform_api.failures import from_answer
from fleets.platform_api.resources.profiles import head_of
from tests.unit.platform_api.wire import answer, wire


def refusal(status: int, body: Any, *, operation: op.Operation = op.FLEET_CREATE) -> Any:
    content = json.dumps(body).encode()
    return from_answer(operation, status, httpx.Headers(), content, e.CallFacts())


def test_bad_fields_are_named() -> None:
    error = refusal(400, {"error": "bad", "fields": {"machines[0].size": "unknown field"}})
    assert error.details.fields == {"machines[0].size": "unknown field"}


def test_a_secret_in_the_details_is_hidden() -> None:
    error = refusal(400, {"error": "bad", "fields": {"env": "sk-tan-abcdef0123456789 is a key"}})
    assert "sk-tan" not in repr(error.details)


@pytest.mark.parametrize("nested", [True, False])
def test_both_states_are_told_beside_or_within_the_error(nested: bool) -> None:
    said = {"message": "no", "currentState": "stopped", "requiredState": "running"}
    details = refusal(409, {"error": said} if nested else said).details
    assert (details.current_state, details.required_state) == ("stopped", "running")


def test_a_limit_is_told_with_what_is_used() -> None:
    body = {"error": "no", "quotaType": "maxConcurrent", "current": 1, "limit": 1.5}
    error = refusal(429, body)
    assert type(error) is e.QuotaExceeded
    found = error.details
    assert (found.quota_type, found.used, found.limit) == ("maxConcurrent", "1", "1.5")


def test_a_stale_profile_tells_the_newest_revision() -> None:
    """Contract 10 row 17."""
    stale = refusal(409, {"error": "stale", "code": "INVALID_STATE", "currentState": 13})
    assert head_of(stale) == 13
    assert head_of(refusal(409, {"error": "stale"})) is None
    assert head_of(refusal(409, {"error": "stale", "currentState": "deleting"})) is None


@pytest.mark.parametrize(
    ("status", "body", "leaf"),
    [
        (401, {"code": "UNAUTHORIZED"}, e.Unauthenticated),
        (400, {"code": "CONFIG_ERROR"}, e.BadRequest),
        (409, {"code": "EGRESS_PROXY_RECOVERY_REQUIRED", "phase": "x"}, e.WrongState),
        (413, {"code": "PAYLOAD_TOO_LARGE"}, e.BadRequest),
        (413, {"code": "FILE_TOO_LARGE"}, e.BadRequest),
        (429, {"code": "UPLOAD_BUDGET_EXHAUSTED", "retryAfterMs": 500}, e.RateLimited),
        (400, {"code": "INVALID_INTERACTION_ANSWER"}, e.BadRequest),
        (402, {"error": {"type": "insufficient_funds", "code": "free_tier_limit"}},
         e.BudgetExhausted),
        (404, {"code": "SNAPSHOT_NOT_FOUND"}, e.NotFound),
        (408, {"code": "TIMEOUT", "timeoutMs": 30_000}, e.TimedOut),
    ],
)  # fmt: skip
def test_every_documented_code_has_its_leaf(status: int, body: Any, leaf: type[Any]) -> None:
    error = refusal(status, body)
    assert type(error) is leaf
    assert error.code == (body.get("code") or body["error"]["code"])


def test_the_phase_of_a_recovery_is_told() -> None:
    body = {"code": "EGRESS_PROXY_RECOVERY_REQUIRED", "phase": "egress_proxy_recovery"}
    assert refusal(409, body).details.phase == "egress_proxy_recovery"


def test_a_command_that_was_stopped_in_time_is_a_result() -> None:
    """Contract 1.2: `EXEC_TIMEOUT` (504)."""
    line = wire(answer(504, {"error": "too long", "code": "EXEC_TIMEOUT", "timeoutMs": 5}))
    found = line.run(lambda client: client.runtime.command("s", "sleep 9", timeout_ms=5))
    assert (found.timed_out, found.exit_code, found.duration_ms) == (True, None, 5)
    with pytest.raises(e.ServerFault):
        wire(answer(504)).run(lambda client: client.runtime.command("s", "ls"))


def test_a_blocking_run_that_was_cut_is_of_unknown_outcome() -> None:
    """Contract 1.3: 500 after about 30 s."""
    line = wire(answer(500, {"error": "took too long"}))
    with pytest.raises(e.PlatformSurprise) as caught:
        line.run(lambda c: c.sessions.run("s", session_id="a", turn_id="t", prompt="x"))
    assert caught.value.outcome_unknown
    assert len(line.requests) == 1


def leaves(kind: type[e.PlatformError]) -> list[type[e.PlatformError]]:
    below = [leaf for child in kind.__subclasses__() for leaf in leaves(child)]
    return below or [kind]


def test_the_tree_is_the_one_that_was_drawn() -> None:
    assert {leaf.__name__ for leaf in leaves(e.PlatformUnavailable)} == {
        "ConnectFailed", "TimedOut", "RateLimited", "ServerFault",
    }  # fmt: skip
    assert {leaf.__name__ for leaf in leaves(e.PlatformRefused)} == {
        "BadRequest", "Unauthenticated", "Forbidden", "NotFound", "WrongState", "QuotaExceeded",
        "BudgetExhausted",
    }  # fmt: skip
    assert leaves(e.PlatformSurprise) == [e.PlatformSurprise]


@pytest.mark.parametrize("leaf", leaves(e.PlatformError), ids=str)
def test_every_leaf_says_what_may_be_done(leaf: type[e.PlatformError]) -> None:
    words = (leaf.__doc__ or "").lower()
    acts = ("repeat", "wait", "change", "ask for", "use the key", "read it again", "end something",
            "raised", "read again", "proof")  # fmt: skip
    assert any(act in words for act in acts), words


def test_an_amount_within_a_refusal_does_not_disturb() -> None:
    assert refusal(402, {"error": {"message": "no"}, "limit": 0.25}).details.limit == "0.25"
    assert Decimal("0.25") == Decimal(refusal(402, {"limit": 0.25}).details.limit)
