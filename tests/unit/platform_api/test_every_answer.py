"""The answers of every noun: the contract's words are read, unknown ones kept, a bad one named."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.platform_api.answers import (
    account,
    backends,
    batches,
    billing,
    capabilities,
    commands,
    executions,
    files,
    fleet_figures,
    interactions,
    messages,
    profiles,
    secrets,
    shapes,
    traces,
)
from fleets.platform_api.fields import FieldError
from fleets.platform_api.resources import keys, sessions, turns
from fleets.platform_api.secret import Secret
from fleets.platform_api.types import TokenUsage

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
NOON_TEXT = "2026-11-29T12:00:00Z"


def test_a_command_brings_its_code_and_output() -> None:
    """Contract 2.4."""
    body = {"success": True, "result": {"exitCode": 3, "stdout": "a", "stderr": "b", "duration": 7}}
    assert commands.parse_command(body) == commands.CommandResult(3, "a", "b", 7)
    assert commands.parse_command(body["result"]) == commands.CommandResult(3, "a", "b", 7)


def test_a_fleets_command_has_a_result_or_an_error_for_each_machine() -> None:
    """Contract 4.1."""
    good = {"machineId": "m-1", "ok": True, "result": {"exitCode": 0, "stdout": "x"}, "duration": 5}
    bad = {"machineId": "m-2", "ok": False, "error": {"message": "stopped"}}
    found = commands.parse_exec({"dispatchId": "d", "results": [good, bad]})
    assert found.dispatch_id == "d"
    first, second = found.rows
    assert (first.ok, first.error, first.duration_ms) == (True, None, 5)
    assert first.result == commands.CommandResult(0, "x", "", None)
    assert (second.ok, second.error, second.result) == (False, "stopped", None)


@pytest.mark.parametrize("body", [{"data": {"content": ""}}, {"content": ""}])
def test_an_empty_file_is_text(body: Any) -> None:
    """Contract 2.4."""
    assert files.parse_content(body) == ""


def test_capabilities_promise_only_what_they_say() -> None:
    """Contract 3.6."""
    found = capabilities.parse_capabilities(
        {
            "schema": 1,
            "agentInterface": "5.6.1",
            "sidecarVersion": "1.2",
            "image": "universal",
            "dispatch": {"runControlRef": True, "executionIdOnAdmission": True},
            "cancel": {"idempotent": False},
            "interactions": {},
        }
    )
    assert (found.schema, found.agent_interface, found.image) == (1, "5.6.1", "universal")
    assert found.names_execution_on_admission is True
    assert found.cancels_idempotently is False
    assert (found.replays_events, found.dedupes_answers) == (None, None)


def test_a_trace_has_spans_and_a_critical_path() -> None:
    """Contract 2.1, 10 row 15."""
    span = {
        "spanId": "a",
        "parentSpanId": None,
        "service": "router",
        "name": "chat",
        "startedAt": NOON_TEXT,
        "endedAt": None,
        "status": "running",
        "attributes": {"model": "m"},
    }
    path = {"phases": [{"name": "model", "durationMs": 5}]}
    found = traces.parse_trace(
        {
            "trace": {"traceId": "t", "spans": [span], "criticalPath": path},
            "intelligence": {"recommendedActions": ["wait"]},
        }
    )
    assert (found.trace_id, found.recommended_actions) == ("t", ("wait",))
    assert found.spans == (traces.Span("a", None, "router", "chat", NOON, None, "running"),)
    assert found.phases == (traces.Phase("model", 5),)
    bare = traces.parse_trace({"trace": {"criticalPath": path}})
    assert (bare.spans, bare.phases, bare.trace_id) == ((), found.phases, None)


def test_a_fleets_use_and_cost() -> None:
    """Contract 4.1: `meteredUsage` can be null."""
    metered = {"runtimeMs": 9, "machineRuntimeMs": {"m-1": 4, "m-2": 5}}
    used = fleet_figures.parse_usage({"usage": {"runningMachines": 2, "meteredUsage": metered}})
    assert (used.running_machines, used.failed_machines, used.runtime_ms) == (2, None, 9)
    assert used.machine_runtime_ms == {"m-1": 4, "m-2": 5}
    unused = fleet_figures.parse_usage({"usage": {"runningMachines": 0, "meteredUsage": None}})
    assert (unused.runtime_ms, unused.machine_runtime_ms) == (None, {})
    cost = fleet_figures.parse_cost({"estimate": {"hourlyUsd": Decimal("0.12")}})
    assert cost.hourly_usd == Decimal("0.12")
    (driver,) = fleet_figures.parse_drivers(
        {"drivers": [{"driverType": "docker", "accelerators": []}]}
    )
    assert (driver.driver_type, driver.accelerators) == ("docker", ())


def test_balance_and_transactions() -> None:
    """Contract 5; the key's field is the one that is spelt otherwise."""
    balance = billing.parse_balance(
        {"success": True, "data": {"balance": Decimal("-1.5"), "lifetimeSpent": 3}}
    )
    assert balance == billing.Balance(Decimal("-1.5"), Decimal(3), None)
    row = {"id": "t", "amount": Decimal("-0.01"), "type": "levy", "key_id": "k"}
    for body in ({"data": [row]}, {"data": {"transactions": [row]}}, [row]):
        (found,) = billing.parse_transactions(body)
        assert (found.amount_usd, found.kind, found.key_id) == (Decimal("-0.01"), "levy", "k")


def test_a_catalog_row_a_revision_and_a_put() -> None:
    """Contract 10 row 17."""
    row = {"profileId": "p", "revision": 2, "name": "P", "description": "d"}
    page = profiles.parse_profiles({"profiles": [{**row, "updatedAt": NOON_TEXT}], "total": 9})
    assert page.total == 9
    assert page.profiles == (profiles.ProfileListed("p", 2, "P", "d", NOON),)
    body = {"name": "P", "mcp": {"x": {"env": {"T": {"kind": "secret-ref", "key": "NAME"}}}}}
    saved = profiles.parse_saved({"profileId": "p", "revision": 2, "profile": body})
    assert (saved.revision, saved.profile) == (2, body)
    for answer in (3, {"revision": 3}, {"profileId": "p", "revision": 3, "profile": body}):
        assert profiles.parse_put(answer, profile_id="p").revision == 3


def test_both_views_of_the_accounts_use() -> None:
    """Contract 2.1."""
    old = account.parse_usage(
        {"success": True, "data": {"orgId": "o", "active_sandboxes": 2, "computeMs": 5}}
    )
    new = account.parse_usage({"activeSandboxes": 2, "periodStart": NOON_TEXT})
    assert (old.org_id, old.active_sandboxes, old.compute_ms) == ("o", 2, 5)
    assert (new.active_sandboxes, new.period_start, new.compute_ms) == (2, NOON, None)


def test_both_views_of_the_plan() -> None:
    """Contract 2.1: credit can be below zero, a ceiling of zero is none."""
    limits = {"sessionsPerDay": 9, "maxConcurrent": 3, "computeMinutesPerDay": 60}
    old = account.parse_subscription(
        {"data": {"plan": "platinum", "status": "past_due", "limits": limits}}
    )
    assert (old.plan, old.status, old.max_sandboxes) == ("platinum", "past_due", 3)
    assert (old.sessions_per_day, old.compute_minutes_per_day) == (9, 60)
    new = account.parse_subscription(
        {"plan": "pro", "creditsAvailableUsd": Decimal("-2"), "maxConcurrentSandboxes": 0}
    )
    assert (new.credits_usd, new.max_sandboxes, new.status) == (Decimal(-2), 0, None)


def test_shapes_with_a_default_by_name_or_in_full() -> None:
    """Contract 2.1, 9."""
    small = {"name": "small", "cpuCores": Decimal("0.5"), "memoryMB": 4096, "diskGB": 20}
    ceiling = {"cpuCores": 8, "memoryMB": 16_384, "diskGB": 80}
    for default in ("small", small):
        found = shapes.parse_shapes({"presets": [small], "default": default, "ceiling": ceiling})
        assert found.default == "small"
        assert found.presets == (shapes.Shape("small", Decimal("0.5"), 4096, 20),)
        assert found.ceiling == shapes.Shape(None, Decimal(8), 16_384, 80)


def test_a_backend_says_what_it_can_do_or_nothing() -> None:
    """Contract 2.1."""
    can = {"streaming": True, "mcp": False, "contextWindow": 200_000, "interactions": ["plan"]}
    (found,) = backends.parse_backends({"backends": [{"type": "acp", "capabilities": can}]})
    assert (found.type, found.context_window, found.interactions) == ("acp", 200_000, ("plan",))
    assert (found.can("streaming"), found.can("mcp"), found.can("toolUse")) == (True, False, None)


def test_secrets_are_read_by_name_and_never_by_value() -> None:
    """Contract 2.1."""
    (found,) = secrets.parse_secrets(
        {"secrets": [{"name": "NPM", "createdAt": NOON_TEXT, "value": "s3cret"}]}
    )
    assert (found.name, found.created_at) == ("NPM", NOON)
    assert "s3cret" not in repr(found)


def test_an_interaction_with_and_without_its_request_within() -> None:
    """Contract 3.1, 3.5."""
    asked = {"id": "i", "kind": "approval", "executionId": "x", "title": "May I?"}
    flat = interactions.parse_interactions({"data": {"interactions": [asked]}})
    nested = interactions.parse_interactions([{"id": "i", "request": asked}])
    assert flat == nested
    assert (flat[0].kind, flat[0].request["title"]) == ("approval", "May I?")


def test_messages_say_whose_turn_they_are() -> None:
    """Contract 3.4."""
    parts = [{"type": "text", "text": "a"}, {"type": "tool"}, {"type": "text", "text": "b"}]
    about = {"turnId": "t", "status": "completed", "completed": True, "interrupted": False}
    rows = [{"role": "assistant", "parts": parts, "metadata": about}, {"role": "user"}]
    first, second = messages.parse_messages({"data": {"messages": rows}})
    assert (first.text, first.turn_id, first.completed) == ("a\n\nb", "t", True)
    assert (second.text, second.turn_id, second.completed) == ("", None, None)


def test_the_ledger_of_executions() -> None:
    """Contract 10 row 12."""
    row = {
        "executionId": "x",
        "turnId": "t",
        "status": "running",
        "startedAt": NOON_TEXT,
        "completedAt": None,
        "tokenUsage": {"inputTokens": 3},
        "costUsd": Decimal("0.1"),
    }
    (found,) = executions.parse_executions({"data": {"executions": [row]}})
    assert (found.started_at, found.completed_at) == (NOON, None)
    assert (found.token_usage, found.cost_usd) == (TokenUsage(input_tokens=3), Decimal("0.1"))


@pytest.mark.parametrize(
    ("data", "new_id"),
    [
        ({"newKey": "sk-tan-x", "revokedKeyId": "k1"}, None),
        ({"newKey": {"id": "k2", "key": "sk-tan-x"}, "revokedKeyId": "k1"}, "k2"),
    ],
)
def test_a_rotated_key_as_text_or_as_a_row(data: Any, new_id: str | None) -> None:
    """Contract 5."""
    found = keys.parse_rotated({"data": data}, key_id="k1")
    assert (found.new_key_id, found.key, found.revoked_key_id) == (
        new_id,
        Secret("sk-tan-x"),
        "k1",
    )
    assert "sk-tan-x" not in repr(found)


def test_a_key_row_in_full() -> None:
    """Contract 5."""
    row = keys.parse_key(
        {
            "id": "k",
            "keyPrefix": "sk-tan-abcd",
            "product": None,
            "allowedModels": ["m"],
            "rpmLimit": 60,
            "expiresAt": NOON_TEXT,
            "lastUsedAt": None,
        }
    )
    assert (row.prefix, row.product, row.allowed_models) == ("sk-tan-abcd", None, ("m",))
    assert (row.rpm_limit, row.expires_at, row.last_used_at) == (60, NOON, None)


def test_a_turn_that_was_not_admitted_names_what_runs_instead() -> None:
    """Contract 3.3: `dispatched:false` with a different `executionId`."""
    ref = {"runId": "r", "requestDigest": "sha256:00"}
    refused = turns.parse_receipt(
        {"executionId": "other", "status": "running", "dispatched": False, "runControlRef": ref},
        session_id="a",
    )
    assert (refused.admitted, refused.active_execution_id) == (False, "other")
    assert refused.run_control_ref == ref
    repeated = turns.parse_receipt(
        {"executionId": "x", "status": "completed", "alreadyExisted": True}, session_id="a"
    )
    assert (repeated.admitted, repeated.active_execution_id) == (True, None)


def test_a_session_tells_what_it_waits_for() -> None:
    """Contract 3.1."""
    state = sessions.parse_state(
        {"data": {"state": "idle", "outstandingInteractions": [{"id": "i", "kind": "plan"}]}}
    )
    assert [one.kind for one in state.waiting_for] == ["plan"]


PARSERS: tuple[Callable[[Any], Any], ...] = (
    account.parse_subscription,
    account.parse_usage,
    backends.parse_backends,
    batches.parse_summary,
    billing.parse_balance,
    billing.parse_transactions,
    capabilities.parse_capabilities,
    commands.parse_command,
    commands.parse_exec,
    executions.parse_executions,
    files.parse_content,
    fleet_figures.parse_cost,
    fleet_figures.parse_drivers,
    fleet_figures.parse_usage,
    interactions.parse_interactions,
    lambda body: keys.parse_rotated(body, key_id="k"),
    messages.parse_messages,
    profiles.parse_profiles,
    lambda body: profiles.parse_put(body, profile_id="p"),
    profiles.parse_saved,
    secrets.parse_secrets,
    shapes.parse_shapes,
    traces.parse_trace,
)
WORDS = (
    "data", "id", "status", "error", "usage", "meteredUsage", "machineRuntimeMs", "results",
    "result", "metadata", "parts", "role", "profile", "profiles", "revision", "newKey", "limits",
    "presets", "default", "ceiling", "trace", "spans", "capabilities", "dispatch", "tokensUsed",
    "totalSuccess", "interactions", "request", "messages", "executions", "exitCode",
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.decimals(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(body=JSON)
def test_no_answer_whatever_breaks_a_parser_in_another_way(body: Any) -> None:
    for parse in PARSERS:
        try:
            parse(body)
        except FieldError:
            continue


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("body", [None, "text", True])
def test_what_is_no_object_is_named_as_such(parse: Callable[[Any], Any], body: Any) -> None:
    with pytest.raises(FieldError):
        parse(body)
