"""Whatever is sent: no 500, no hang, and a refused request leaves no trace."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emulator import snapshot, strict
from emulator.contract import OPERATIONS, Operation
from emulator.resources import (
    commands,
    dispatch,
    fleet_body,
    fleet_exec,
    keys,
    sandbox_body,
)
from tests.unit.emulator.bench import Bench, turn_body

# Every name that some body or query of the contract has, so that requests get past the first door.
NAMES = (
    "name", "environment", "resources", "cpuCores", "memoryMB", "diskGB", "env", "git", "backend",
    "type", "profile", "model", "metadata", "maxLifetimeSeconds", "idleTimeoutSeconds", "machines",
    "machineId", "coordinator", "defaults", "policy", "maxSpendUsd", "parent", "fleetId", "agentId",
    "budgetUsd", "allowedModels", "rpmLimit", "expiresAt", "parentKeyId", "product", "sessionId",
    "turnId", "parts", "timeoutMs", "detach", "lastEventId", "command", "cwd", "timeout", "path",
    "content", "encoding", "id", "outcome", "data", "maxConcurrent", "bufferResults", "limit",
    "offset", "status", "since", "executionId", "traceId", "children", "keyId",
)  # fmt: skip
words = st.sampled_from(
    ["", "s", "exec", "m1", "true", "opencode", "gpt-4.1-mini", "echo $HOME && exit 3", "sleep 1",
     "accepted", "router", "/", "..", "\x00", "é", "0", "-1", "9" * 30, "2026-12-01T00:00:00Z",
     "9999-12-31T23:59:59+14:00", "c2xlZXA="]
)  # fmt: skip
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 10**12), st.floats(), words, st.just([])
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    ),
    max_leaves=8,
)
strange_bodies = st.dictionaries(st.sampled_from(NAMES), values, max_size=6)
by_kind: dict[str, st.SearchStrategy[Any]] = {
    strict.TEXT: words,
    strict.BOOL: st.booleans(),
    strict.INT: st.sampled_from([-1, 0, 1, 60, 10**15]),
    strict.NUMBER: st.sampled_from([-1, 0, 0.001, 1, 1e-12, 1e9]),
    strict.OBJECT: st.dictionaries(st.sampled_from(NAMES), leaves, max_size=3),
    strict.LIST: st.lists(
        st.one_of(leaves, st.fixed_dictionaries({"machineId": words}),
                  st.fixed_dictionaries({"type": st.just("text"), "text": words})),
        max_size=3,
    ),
    strict.TEXTS: st.lists(words, max_size=3),
    strict.ANY: values,
}  # fmt: skip
FIELDS: dict[str, dict[str, str]] = {
    "keys.mint": keys._MINT,
    "keys.patch": keys._PATCH,
    "fleets.create": fleet_body._FLEET,
    "fleets.exec": fleet_exec._BODY,
    "sandboxes.create": sandbox_body.SANDBOX,
    "sandboxes.patch": {"idleTimeoutSeconds": strict.INT},
    "runtime.command": commands._COMMAND,
    "runtime.read": {"path": strict.TEXT, "encoding": strict.TEXT},
    "runtime.write": {"path": strict.TEXT, "content": strict.TEXT, "encoding": strict.TEXT},
    "sessions.run": dispatch._TURN,
    "sessions.dispatch": dispatch._TURN,
    "sessions.answer": {"id": strict.TEXT, "outcome": strict.TEXT, "data": strict.ANY},
}


def bodies_of(operation: Operation) -> st.SearchStrategy[Any]:
    """Strange bodies, and ones whose fields at least have their right types."""
    known = FIELDS.get(operation.name)
    if known is None:
        return strange_bodies
    fields = {name: by_kind[kind] for name, kind in known.items()}
    typed = st.fixed_dictionaries({}, optional=fields)
    return st.one_of(typed, typed, strange_bodies)


queries = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["", "1", "x", "true", "-1"]))


@pytest.fixture(scope="module")
def bench() -> Bench:
    """A world with something in every place that a path can name."""
    made = Bench(failure_share=0.0, rate_per_minute=0)
    (box,) = made.fleet()
    made.dispatch(box, "s", "Read it. [[ok]]")
    made.finish_turns()
    return made


def path_of(bench: Bench, operation: Operation) -> str:
    key_id, _secret = bench.mint(1)
    names = {
        "keyId": key_id,
        "fleetId": "fleet-a",
        "sandboxId": next(iter(bench.world.machines)),
        "sessionId": "s",
        "turnId": "t1-1",
        "dispatchId": "nobody",
    }
    return f"/{operation.base}{operation.path.format(**names)}"


def everything(bench: Bench) -> Any:
    shown = snapshot.state(bench.world)
    for fading in ("nowMs", "account", "keys"):
        shown.pop(fading)
    return json.loads(json.dumps(shown, default=str))


CHANGING = [one for one in OPERATIONS if one.name not in ("fleets.delete", "sandboxes.delete")]


@pytest.mark.parametrize("operation", CHANGING, ids=lambda one: one.name)
@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data(), query=queries)
def test_no_request_breaks_the_emulator(
    bench: Bench, operation: Operation, data: st.DataObject, query: dict[str, str]
) -> None:
    body = data.draw(bodies_of(operation))
    if operation.name in ("sessions.dispatch", "sessions.run") and data.draw(st.booleans()):
        body = {**turn_body("s", "Read it."), **body}
    if operation.name == "fleets.exec":
        body.setdefault("type", "exec")
    allowed = {name: value for name, value in query.items() if name in operation.query}
    text = "&".join(f"{name}={value}" for name, value in allowed.items())
    path = path_of(bench, operation)
    before, keys = everything(bench), len(bench.world.ledger.keys)
    reply = bench.call(operation.method, f"{path}?{text}", body)
    cut = operation.name == "sessions.run" and "took too long" in reply.text
    assert reply.status != 500 or cut, reply.text
    if 400 <= reply.status < 500:
        assert everything(bench) == before
        assert len(bench.world.ledger.keys) == keys
