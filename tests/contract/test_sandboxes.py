"""Machines: create, list, read, keep alive, stop, resume, delete, trace (contract 2.1–2.3)."""

from typing import Any

import pytest

from fleets.platform_api.answers.traces import Trace
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound
from fleets.platform_api.sandbox_spec import Resources, SandboxSpec
from fleets.platform_api.types import SandboxDeletion, SandboxRow
from tests.contract.machines import MachineUnderTest
from tests.contract.platform import Platform
from tests.contract.raw import ask

PROMPT = "[[ok]] [[calls 1]] Say hello."


async def exists(client: PlatformClient, sandbox_id: str) -> bool:
    try:
        return (await client.sandboxes.get(sandbox_id)).status != "deleted"
    except NotFound:
        return False


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.create", "sandboxes.get")
def test_a_machine_comes_up_as_it_was_asked_for(platform: Platform) -> None:
    """Contract 2.1–2.3: pending or provisioning at first, then running."""

    async def act(made: MachineUnderTest) -> SandboxRow:
        return await made.account.sandboxes.get(made.sandbox_id)

    row = platform.with_machine(act)
    assert row.status == "running"
    assert row.created_at is not None
    assert (row.name or "").startswith(platform.run_id)


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.create")
def test_a_keyed_create_names_the_same_sandbox_again(platform: Platform) -> None:
    """Contract 1.4: the id is derived from owner and key."""

    async def act(made: MachineUnderTest) -> tuple[str, str]:
        name = platform.new_name()
        spec = SandboxSpec(name=name, idle_timeout_s=300)
        first = await made.signed.sandboxes.create(spec, idempotency_key=name)
        second = await made.signed.sandboxes.create(spec, idempotency_key=name)
        await made.account.sandboxes.delete(first.sandbox_id)
        return first.sandbox_id, second.sandbox_id

    first, second = platform.with_machine(act)
    assert first == second


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.create")
def test_the_same_name_without_a_key_is_another_sandbox(platform: Platform) -> None:
    """Contract 1.4: both 201."""

    async def act(made: MachineUnderTest) -> set[str]:
        spec = SandboxSpec(name=platform.new_name(), idle_timeout_s=300)
        rows = [await made.signed.sandboxes.create(spec) for _time in range(2)]
        for row in rows:
            await made.account.sandboxes.delete(row.sandbox_id)
        return {row.sandbox_id for row in rows}

    assert len(platform.with_machine(act)) == 2


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.create")
def test_the_documented_fields_are_taken(platform: Platform) -> None:
    """Contract 2.2: resources, env, backend, times, metadata."""

    async def act(made: MachineUnderTest) -> SandboxRow:
        spec = SandboxSpec(
            name=platform.new_name(),
            environment="universal",
            resources=Resources(2, 4096, disk_gb=20),
            env={"GREETING": "hello"},
            backend={"type": "opencode", "model": {"model": "gpt-4.1-mini"}},
            max_lifetime_s=1800,
            idle_timeout_s=600,
            delete_after_stopped_s=600,
            metadata={"purpose": "contract"},
        )
        row = await made.signed.sandboxes.create(spec, idempotency_key=spec.name)
        read = await made.account.sandboxes.get(row.sandbox_id)
        await made.account.sandboxes.delete(row.sandbox_id)
        return read

    row = platform.with_machine(act)
    assert row.metadata == {"purpose": "contract"}
    assert row.memory_mb in {4096, None}


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.list")
def test_a_list_has_states_and_pages(platform: Platform) -> None:
    """Contract 2.1: `status`, `limit`, `offset`."""

    async def act(made: MachineUnderTest) -> tuple[bool, bool, int]:
        boxes = made.account.sandboxes
        found = {True: False, False: False}
        for wanted, status in ((True, "running"), (False, "stopped")):
            offset = 0
            while rows := await boxes.list(status=(status,), limit=50, offset=offset):
                assert {row.status for row in rows} == {status}
                found[wanted] |= made.sandbox_id in {row.sandbox_id for row in rows}
                offset += 50
        return found[True], found[False], len(await boxes.list(limit=1))

    is_running, is_stopped, one = platform.with_machine(act)
    assert (is_running, is_stopped, one) == (True, False, 1)


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.patch")
def test_a_machine_is_kept_alive(platform: Platform) -> None:
    """Contract 2.1: `{idleTimeoutSeconds}` answers the sandbox."""

    async def act(made: MachineUnderTest) -> tuple[str, str]:
        row = await made.account.sandboxes.keep_alive(made.sandbox_id, idle_timeout_s=600)
        return made.sandbox_id, row.sandbox_id

    asked, answered = platform.with_machine(act)
    assert asked == answered


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.stop", "sandboxes.resume", "sandboxes.delete")
def test_a_sandbox_stops_resumes_and_goes(platform: Platform) -> None:
    """Contract 2.1, 2.3: a delete is acknowledged; after it, 404."""

    async def act(made: MachineUnderTest) -> SandboxDeletion:
        boxes = made.account.sandboxes
        await boxes.stop(made.sandbox_id)
        await made.until(lambda: boxes.get(made.sandbox_id), lambda row: row.status == "stopped")
        await boxes.resume(made.sandbox_id)
        await made.until(lambda: boxes.get(made.sandbox_id), lambda row: row.status == "running")
        gone = await boxes.delete(made.sandbox_id)
        await made.until(lambda: exists(made.account, made.sandbox_id), lambda there: not there)
        return gone

    assert platform.with_machine(act).outcome in {"destroyed", "unknown"}


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.get")
def test_a_sandbox_that_is_not_there_is_not_found(platform: Platform) -> None:
    """Contract 1.2, 2.1."""

    async def act(client: PlatformClient) -> None:
        with pytest.raises(NotFound):
            await client.sandboxes.get("sandbox-000000000000")

    platform.run(act)


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.trace")
def test_a_trace_has_a_critical_path(platform: Platform) -> None:
    """Contract 2.1: `trace.criticalPath.phases`, and advice when it is asked for."""

    async def act(made: MachineUnderTest) -> Trace:
        await made.dispatch("agent-1", "t1-1", PROMPT)
        await made.ended("agent-1")
        return await made.account.sandboxes.trace(made.sandbox_id, include_intelligence=True)

    trace = platform.with_machine(act)
    assert trace.phases
    assert all(phase.duration_ms is None or phase.duration_ms >= 0 for phase in trace.phases)
    assert "intelligence" in trace.raw


@pytest.mark.from_source
@pytest.mark.covers("sandboxes.driver")
def test_a_machine_tells_what_drives_it(platform: Platform) -> None:
    """Contract 2.1: `{type, available, version, capabilities, hosts, capacity}`."""

    async def act(made: MachineUnderTest) -> Any:
        return (await ask(platform, "GET", f"/v1/sandboxes/{made.sandbox_id}/driver")).json()

    found = platform.with_machine(act)
    assert found["type"] in {"docker", "firecracker", "host-agent", "tangle"}
    assert set(found["capacity"]) >= {"available", "total"}


@pytest.mark.our_choice
@pytest.mark.covers("sandboxes.trace")
def test_a_trace_goes_through_every_service(platform: Platform) -> None:
    """Contract 10 row 15."""

    async def act(made: MachineUnderTest) -> tuple[Trace, str | None]:
        await made.dispatch("agent-1", "t1-1", PROMPT)
        row = await made.finished("agent-1")
        found = await made.account.sandboxes.trace(made.sandbox_id, trace_id=row.trace_id)
        with pytest.raises(NotFound):
            await made.account.sandboxes.trace(made.sandbox_id, trace_id="0" * 32)
        return found, row.trace_id

    trace, trace_id = platform.with_machine(act)
    assert trace.trace_id == trace_id
    assert {span.service for span in trace.spans} == {"api", "orchestrator", "runtime", "router"}
    known = {span.span_id for span in trace.spans} | {None}
    assert {span.parent_span_id for span in trace.spans} <= known
