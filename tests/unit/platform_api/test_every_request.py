"""Every operation as it leaves: route, query, body and headers, and nothing the contract lacks."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from fleets.platform_api import operations as op
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformError
from fleets.platform_api.resources.batches import BatchBackend, BatchTask
from fleets.platform_api.sandbox_spec import SandboxSpec
from tests.unit.platform_api.wire import answer, wire

BOX, AGENTS = "/v1/sandboxes/s", "/v1/sandboxes/s/runtime/agents"
SESSION = AGENTS + "/sessions/a"
# "hi" in Base64 (contract 3.2).
TURN = {
    "id": "default",
    "sessionId": "a",
    "turnId": "t1-1",
    "parts": [{"type": "text", "text": "aGk="}],
}
TASKS, BACKENDS = [BatchTask("t1", "do it")], [BatchBackend("b1", "opencode", "gpt-4.1-mini")]


@dataclass(frozen=True)
class Sent:
    operation: op.Operation
    act: Callable[[PlatformClient], Awaitable[Any]]
    method: str
    path: str
    body: Any = None
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    base: str = "sandbox"


async def _drain(stream: Any) -> None:
    async for _event in stream:
        pass


REQUESTS = (
    Sent(
        op.KEY_MINT,
        lambda c: c.keys.mint(
            "n",
            budget_usd=Decimal("0.5"),
            parent_key_id="k0",
            product="sandbox",
            project_id="p",
            allowed_models=("m",),
            rpm_limit=5,
            expires_at=datetime(2027, 1, 1, tzinfo=UTC),
        ),
        "POST",
        "/v1/keys",
        {
            "name": "n",
            "budgetUsd": 0.5,
            "parentKeyId": "k0",
            "product": "sandbox",
            "projectId": "p",
            "allowedModels": ["m"],
            "rpmLimit": 5,
            "expiresAt": "2027-01-01T00:00:00+00:00",
        },
        base="id",
    ),
    Sent(op.KEY_GET, lambda c: c.keys.get("k"), "GET", "/v1/keys/k", base="id"),
    Sent(
        op.KEY_LIST_CHILDREN,
        lambda c: c.keys.list_children(),
        "GET",
        "/v1/keys",
        query={"children": "true"},
        base="id",
    ),
    Sent(
        op.KEY_PATCH,
        lambda c: c.keys.patch("k", name="n", rpm_limit=3, allowed_models=("m",)),
        "PATCH",
        "/v1/keys/k",
        {"name": "n", "rpmLimit": 3, "allowedModels": ["m"]},
        base="id",
    ),
    Sent(op.KEY_REVOKE, lambda c: c.keys.revoke("k"), "DELETE", "/v1/keys/k", base="id"),
    Sent(op.KEY_ROTATE, lambda c: c.keys.rotate("k"), "POST", "/v1/keys/k/rotate", base="id"),
    Sent(
        op.BILLING_BALANCE, lambda c: c.billing.balance(), "GET", "/v1/billing/balance", base="id"
    ),
    Sent(
        op.BILLING_TRANSACTIONS,
        lambda c: c.billing.transactions(limit=5, product="router", key_id="k"),
        "GET",
        "/v1/billing/transactions",
        query={"limit": "5", "product": "router", "keyId": "k"},
        base="id",
    ),
    Sent(
        op.FLEET_CREATE,
        lambda c: c.fleets.create(
            "f",
            machines=[],
            coordinator={"machineId": "lead"},
            idempotency_key="row-1",
        ),
        "POST",
        "/v1/fleets",
        {"fleetId": "f", "machines": [], "coordinator": {"machineId": "lead"}},
        headers={"idempotency-key": "row-1"},
    ),
    Sent(op.FLEET_GET, lambda c: c.fleets.get("f"), "GET", "/v1/fleets/f"),
    Sent(
        op.FLEET_LIST,
        lambda c: c.fleets.children("f", limit=5, offset=10),
        "GET",
        "/v1/fleets",
        query={"parentFleetId": "f", "limit": "5", "offset": "10"},
    ),
    Sent(op.FLEET_DELETE, lambda c: c.fleets.delete("f"), "DELETE", "/v1/fleets/f"),
    Sent(op.FLEET_USAGE, lambda c: c.fleets.usage("f"), "GET", "/v1/fleets/f/usage"),
    Sent(op.FLEET_COST, lambda c: c.fleets.cost("f"), "GET", "/v1/fleets/f/cost"),
    Sent(
        op.FLEET_CAPABILITIES, lambda c: c.fleets.capabilities(), "GET", "/v1/fleets/capabilities"
    ),
    Sent(
        op.FLEET_EXEC,
        lambda c: c.fleets.exec("f", "ls", machines=("m-1",), max_concurrent=2, timeout_ms=9),
        "POST",
        "/v1/fleets/f/dispatch",
        {
            "type": "exec",
            "command": "ls",
            "machines": ["m-1"],
            "maxConcurrent": 2,
            "timeoutMs": 9,
        },
    ),
    Sent(
        op.FLEET_EXEC_READ,
        lambda c: c.fleets.exec_results("f", "d"),
        "GET",
        "/v1/fleets/f/dispatch/d",
    ),
    Sent(
        op.SANDBOX_CREATE,
        lambda c: c.sandboxes.create(SandboxSpec(name="n"), idempotency_key="row-2"),
        "POST",
        "/v1/sandboxes",
        {"name": "n"},
        headers={"idempotency-key": "row-2"},
    ),
    Sent(op.SANDBOX_GET, lambda c: c.sandboxes.get("s"), "GET", BOX),
    Sent(
        op.SANDBOX_LIST,
        lambda c: c.sandboxes.list(status=("running",), limit=5, offset=10),
        "GET",
        "/v1/sandboxes",
        query={"status": "running", "limit": "5", "offset": "10"},
    ),
    Sent(
        op.SANDBOX_KEEP_ALIVE,
        lambda c: c.sandboxes.keep_alive("s"),
        "PATCH",
        BOX,
        {"idleTimeoutSeconds": 3600},
    ),
    Sent(op.SANDBOX_DELETE, lambda c: c.sandboxes.delete("s"), "DELETE", BOX),
    Sent(op.SANDBOX_STOP, lambda c: c.sandboxes.stop("s"), "POST", BOX + "/stop"),
    Sent(op.SANDBOX_RESUME, lambda c: c.sandboxes.resume("s"), "POST", BOX + "/resume"),
    Sent(
        op.SANDBOX_TRACE,
        lambda c: c.sandboxes.trace("s", trace_id="x", include_intelligence=True),
        "GET",
        BOX + "/trace",
        query={"traceId": "x", "includeIntelligence": "true"},
    ),
    Sent(
        op.RUNTIME_COMMAND,
        lambda c: c.runtime.command("s", "ls", cwd="/w", env={"A": "b"}, timeout_ms=5),
        "POST",
        BOX + "/runtime/terminals/commands",
        {"command": "ls", "cwd": "/w", "env": {"A": "b"}, "timeout": 5},
    ),
    Sent(
        op.RUNTIME_WRITE,
        lambda c: c.runtime.write_file("s", "/p", content="é"),
        "POST",
        BOX + "/runtime/files/write",
        {"path": "/p", "content": "é"},
    ),
    Sent(
        op.RUNTIME_READ,
        lambda c: c.runtime.read_file("s", "/p"),
        "POST",
        BOX + "/runtime/files/read",
        {"path": "/p", "encoding": "utf8"},
    ),
    Sent(
        op.RUNTIME_CAPABILITIES,
        lambda c: c.runtime.capabilities("s"),
        "GET",
        BOX + "/runtime/capabilities",
    ),
    Sent(
        op.TURN_DISPATCH,
        lambda c: c.sessions.dispatch("s", session_id="a", turn_id="t1-1", prompt="hi"),
        "POST",
        AGENTS + "/run/stream",
        TURN | {"detach": True},
    ),
    Sent(
        op.TURN_STREAM,
        lambda c: _drain(
            c.sessions.stream(
                "s", session_id="a", turn_id="t1-1", prompt="hi", last_event_id="7", timeout_ms=9
            )
        ),
        "POST",
        AGENTS + "/run/stream",
        TURN | {"lastEventId": "7", "timeoutMs": 9},
        headers={"accept": "text/event-stream"},
    ),
    Sent(
        op.TURN_RUN,
        lambda c: c.sessions.run("s", session_id="a", turn_id="t1-1", prompt="hi"),
        "POST",
        AGENTS + "/run",
        TURN,
    ),
    Sent(
        op.SESSION_LIST,
        lambda c: c.sessions.list("s", limit=5),
        "GET",
        AGENTS + "/sessions",
        query={"limit": "5", "offset": "0"},
    ),
    Sent(op.SESSION_STATE, lambda c: c.sessions.state("s", "a"), "GET", SESSION),
    Sent(
        op.SESSION_RESULT,
        lambda c: c.sessions.result("s", "a", execution_id="x"),
        "GET",
        SESSION + "/result",
        query={"executionId": "x"},
    ),
    Sent(op.SESSION_TURN, lambda c: c.sessions.turn("s", "a", "t"), "GET", SESSION + "/turns/t"),
    Sent(
        op.SESSION_EVENTS,
        lambda c: _drain(c.sessions.events("s", "a", execution_id="x", since="7")),
        "GET",
        SESSION + "/events",
        query={"executionId": "x", "since": "7"},
        headers={"last-event-id": "7", "accept": "text/event-stream"},
    ),
    Sent(
        op.SESSION_MESSAGES,
        lambda c: c.sessions.messages("s", "a", limit=1000),
        "GET",
        SESSION + "/messages",
        query={"limit": "1000"},
    ),
    Sent(
        op.SESSION_EXECUTIONS,
        lambda c: c.sessions.executions("s", "a"),
        "GET",
        SESSION + "/executions",
    ),
    Sent(
        op.SESSION_INTERACTIONS,
        lambda c: c.sessions.interactions("s", "a"),
        "GET",
        SESSION + "/interactions",
    ),
    Sent(
        op.SESSION_ANSWER,
        lambda c: c.sessions.answer(
            "s", "a", interaction_id="i", outcome="declined", data={"a": 1}
        ),
        "POST",
        SESSION + "/interactions",
        {"id": "i", "outcome": "declined", "data": {"a": 1}},
    ),
    Sent(op.SESSION_ABORT, lambda c: c.sessions.abort("s", "a"), "POST", SESSION + "/abort", {}),
    Sent(
        op.PROFILE_LIST,
        lambda c: c.profiles.list(limit=5, offset=5),
        "GET",
        "/v1/profiles",
        query={"limit": "5", "offset": "5"},
    ),
    Sent(
        op.PROFILE_GET,
        lambda c: c.profiles.get("p", revision=3),
        "GET",
        "/v1/profiles/p",
        query={"revision": "3"},
    ),
    Sent(
        op.PROFILE_PUT,
        lambda c: c.profiles.put("p", profile={"name": "p"}, base=3),
        "PUT",
        "/v1/profiles/p",
        {"name": "p"},
        headers={"if-match": "3"},
    ),
    Sent(
        op.PROFILE_PUT,
        lambda c: c.profiles.put("p", profile={"name": "p"}, base=None),
        "PUT",
        "/v1/profiles/p",
        {"name": "p"},
        headers={"if-none-match": "*"},
    ),
    Sent(op.PROFILE_DELETE, lambda c: c.profiles.delete("p"), "DELETE", "/v1/profiles/p"),
    Sent(
        op.BATCH_RUN,
        lambda c: c.batches.run_to_end(
            TASKS,
            backends=BACKENDS,
            idempotency_key="row-3",
            timeout_ms=9,
            scaling_mode="cheapest",
            persistent=False,
        ),
        "POST",
        "/v1/sandboxes/batch/run",
        {
            "tasks": [{"id": "t1", "message": "do it"}],
            "backends": [{"id": "b1", "type": "opencode", "model": "gpt-4.1-mini"}],
            "timeoutMs": 9,
            "scalingMode": "cheapest",
            "persistent": False,
        },
        headers={"idempotency-key": "row-3", "accept": "text/event-stream"},
    ),
    Sent(op.BATCH_CANCEL, lambda c: c.batches.cancel("b"), "DELETE", "/v1/sandboxes/batch/b"),
    Sent(op.ACCOUNT_USAGE, lambda c: c.account.usage(), "GET", "/v1/usage"),
    Sent(
        op.ACCOUNT_SUBSCRIPTION, lambda c: c.account.subscription(), "GET", "/v1/usage/subscription"
    ),
    Sent(op.CATALOG_SHAPES, lambda c: c.catalog.shapes(), "GET", "/v1/shapes"),
    Sent(op.CATALOG_BACKENDS, lambda c: c.catalog.backends(), "GET", "/v1/backends"),
    Sent(op.SECRET_LIST, lambda c: c.secrets.list(), "GET", "/v1/secrets"),
)


def test_no_operation_is_without_an_example() -> None:
    assert {one.operation for one in REQUESTS} == set(op.ALL)


@pytest.mark.parametrize("one", REQUESTS, ids=lambda one: one.operation.name)
def test_it_leaves_as_the_contract_says(one: Sent) -> None:
    line = wire(answer(400, {"error": "seen enough"}))
    with pytest.raises(PlatformError):
        line.run(one.act)
    (request,) = line.requests
    assert request.method == one.method == one.operation.method
    assert request.url.path == f"/{one.base}{one.path}"
    assert dict(request.url.params) == one.query
    assert (line.body if request.content else None) == one.body
    for name, value in one.headers.items():
        assert request.headers[name] == value
    for name in ("if-match", "if-none-match", "idempotency-key"):
        assert name in one.headers or name not in request.headers
    assert line.paced == [one.operation]


def test_a_repeatable_query_is_sent_once_for_each_value() -> None:
    line = wire(answer(200, []))
    line.run(lambda c: c.sandboxes.list(status=("pending", "failed")))
    assert line.requests[0].url.params.get_list("status") == ["pending", "failed"]
