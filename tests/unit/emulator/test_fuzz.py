"""Whatever is sent: no 500, no hang, and a refused request leaves no trace."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emulator.contract import OPERATIONS, Operation
from emulator.money import dumps
from tests.unit.emulator.bench import Bench
from tests.unit.emulator.requests import GOOD, PROFILE, bodies

queries = st.sampled_from(["", "1", "x", "true", "-1", "9" * 30, "running", "%00"])
headers = st.fixed_dictionaries(
    {},
    optional={
        "Idempotency-Key": st.sampled_from(["", "k", "é"]),
        "If-Match": st.sampled_from(["1", '"1"', "", "*"]),
        "If-None-Match": st.sampled_from(["*", "", "1"]),
        "Last-Event-ID": st.sampled_from(["", "1", "-1", "9" * 30]),
    },
)
# Of a world, what a look at it may change: when a key was last used, what time has cost.
FADING = {"last_used_ms", "metered_ms", "metered_rest"}
GONE = ("fleets.delete", "sandboxes.delete", "sandboxes.stop", "secrets.delete", "profiles.delete")


@pytest.fixture(scope="module")
def bench() -> Bench:
    """A world with something in every place that a path can name."""
    return furnished()


def furnished() -> Bench:
    made = Bench(failure_share=0.0, rate_per_minute=0)
    made.call("POST", "/sandbox/v1/secrets", {"name": "TOKEN", "value": "v"})
    made.call("PUT", "/sandbox/v1/profiles/p", PROFILE, headers={"If-None-Match": "*"})
    (box,) = made.fleet()
    made.dispatch(box, "s", "Read it. [[ask question]]")
    made.finish_turns()
    batch = GOOD["batch.run"]
    made.call("POST", "/sandbox/v1/sandboxes/batch/run", batch, headers={"Idempotency-Key": "b"})
    exec_body = {"type": "exec", "command": "echo 1"}
    made.call("POST", "/sandbox/v1/fleets/fleet-a/dispatch", exec_body)
    made.mint(1)
    made.run_for(20)
    return made


def path_of(bench: Bench, operation: Operation, *, missing: str | None) -> str:
    world = bench.world
    names = {
        "keyId": next(one.id for one in world.ledger.keys.values() if one.parent_id),
        "fleetId": "fleet-a",
        "sandboxId": world.fleets["fleet-a"].machine_ids[0],
        "sessionId": "s",
        "turnId": "t1-1",
        "dispatchId": next(iter(world.dispatches)),
        "secretName": "TOKEN",
        "profileId": "p",
        "batchId": next(iter(world.batches)),
    }
    if missing is not None:
        names = dict.fromkeys(names, missing)
    return f"/{operation.base}{operation.path.format(**names)}"


def everything(bench: Bench) -> dict[str, str]:
    """All that the world holds, each thing as text."""
    world = bench.world
    kinds = {name: found for name, found in vars(world).items() if isinstance(found, dict)}
    kinds["keys"] = world.ledger.keys
    shown = {
        f"{kind} {one}": _text(thing)
        for kind, things in kinds.items()
        if not kind.startswith("_") and kind not in ("scripts", "calls_by_key")
        for one, thing in things.items()
    }
    return shown | {"entries": str(len(world.ledger.entries))}


def _text(thing: Any) -> str:
    if not hasattr(thing, "__dict__"):
        return str(len(thing) if hasattr(thing, "popleft") else thing)
    return dumps({name: value for name, value in vars(thing).items() if name not in FADING})


def sendable(body: Any) -> bytes:
    return json.dumps(body).encode()


CHANGING = [one for one in OPERATIONS if one.name not in GONE]


@pytest.mark.parametrize("operation", CHANGING, ids=lambda one: one.name)
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_no_request_breaks_the_emulator(
    bench: Bench, operation: Operation, data: st.DataObject
) -> None:
    asked = "&".join(
        f"{name}={data.draw(queries)}" for name in operation.query if data.draw(st.booleans())
    )
    missing = data.draw(st.sampled_from([None, None, None, "nobody", "%2F", "é"]))
    body = sendable(data.draw(bodies(operation.name)))
    path = path_of(bench, operation, missing=missing)
    before = everything(bench)
    reply = bench.call(operation.method, f"{path}?{asked}", body, headers=data.draw(headers))
    cut = operation.name == "sessions.run" and "took too long" in reply.text
    assert reply.status != 500 or cut, reply.text
    if 400 <= reply.status < 500 or reply.status == 501:
        assert everything(bench) == before


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_stranger_is_refused_and_changes_nothing(bench: Bench, operation: Operation) -> None:
    before = everything(bench)
    path = path_of(bench, operation, missing=None)
    body = GOOD.get(operation.name)
    reply = bench.call(operation.method, path, body, key="sk-tan-nobody")
    assert (reply.status == 401) != operation.is_public
    assert everything(bench) == before


def test_good_requests_are_not_refused() -> None:
    bench = furnished()
    for operation in sorted(OPERATIONS, key=lambda one: one.name in GONE):
        head = str(bench.world.profiles["p"].revisions[-1]["revision"])
        sent = {"If-Match": head} if operation.name == "profiles.put" else {}
        path = path_of(bench, operation, missing=None)
        reply = bench.call(operation.method, path, GOOD.get(operation.name), headers=sent)
        wanted = {"sessions.answer": 404, "batch.run": 200}.get(operation.name)
        assert reply.status < 300 or reply.status == wanted, (operation.name, reply.text)
        if operation.name in ("keys.revoke", "fleets.delete", "sandboxes.delete"):
            bench = furnished()
