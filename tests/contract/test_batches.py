"""Batches: each task on each backend, in one stream (contract 1.4, 7, 10 rows 18 and 29)."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from decimal import Decimal
from typing import Any, TypeVar

import httpx
import pytest

from fleets.platform_api.answers.batches import BatchRead
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import WrongState
from fleets.platform_api.resources.batches import BatchBackend, BatchTask
from tests.contract.machines import until
from tests.contract.platform import BUDGET_USD, Platform
from tests.contract.raw import ask

T = TypeVar("T")
TASKS = (BatchTask("t1", "Say one. [[ok]] [[calls 1]]"), BatchTask("t2", "Say two. [[ok]]"))
MODEL = {"model": "gpt-4.1-mini"}
BACKENDS = (BatchBackend("a", "opencode", MODEL), BatchBackend("b", "opencode", MODEL))
SLOW = (BatchTask("t1", "Count to a thousand, one number a line. [[ok]] [[slow 60]]"),)


def signed(platform: Platform, act: Callable[[PlatformClient], Awaitable[T]]) -> T:
    """`act` with a client of a key of its own, which can spend little."""

    async def go() -> T:
        async with platform.client() as client, platform.key(client, BUDGET_USD) as key:
            return await act(client.with_key(key.key))

    return asyncio.run(go())


@pytest.mark.from_source
@pytest.mark.covers("batch.run")
def test_each_task_runs_once_on_each_backend(platform: Platform) -> None:
    """Contract 7: results are task × backend; `totalSuccess`, `totalFailure`."""

    async def act(client: PlatformClient) -> BatchRead:
        return await client.batches.run_to_end(TASKS, backends=BACKENDS, idempotency_key=None)

    read = signed(platform, act)
    assert read.summary is not None
    assert (read.summary.total_success, read.summary.total_failure) == (4, 0)


@pytest.mark.from_source
@pytest.mark.covers("batch.run")
def test_the_old_body_is_taken_and_answered_in_a_stream(platform: Platform) -> None:
    """Contract 7: `{tasks, timeoutMs, scalingMode, persistent}`, `text/event-stream`."""

    async def go() -> httpx.Response:
        body: dict[str, Any] = {
            "tasks": [{"id": "t1", "message": "Say one. [[ok]] [[calls 1]]"}],
            "timeoutMs": 300_000,
            "scalingMode": "cheapest",
            "persistent": False,
        }
        async with platform.client() as client, platform.key(client, BUDGET_USD) as key:
            return await ask(platform, "POST", "/v1/sandboxes/batch/run", body, key=key.key)

    reply = asyncio.run(go())
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert "event: task.completed" in reply.text


@pytest.mark.our_choice
@pytest.mark.covers("batch.run")
def test_a_batch_tells_of_each_task_and_of_its_end(platform: Platform) -> None:
    """Contract 10 row 18: names and data of the events."""

    async def act(client: PlatformClient) -> tuple[list[str], BatchRead]:
        key = platform.new_name()
        stream = client.batches.run(TASKS, backends=BACKENDS[:1], idempotency_key=key)
        async with aclosing(stream):
            types = [event.type async for event in stream]
        return types, await client.batches.run_to_end(
            TASKS, backends=BACKENDS[:1], idempotency_key=key
        )

    types, read = signed(platform, act)
    assert (types[0], types[-1]) == ("batch.started", "batch.completed")
    assert types.count("task.started") == types.count("task.completed") == 2
    assert read.total == 2
    assert {(item.task_id, item.backend_id) for item in read.items} == {("t1", "a"), ("t2", "a")}
    for item in read.items:
        assert item.ok
        assert item.response
        assert item.trace_id
        assert item.usage is not None
        assert item.cost_usd is not None
    assert read.summary is not None
    spent = sum((item.cost_usd or Decimal(0) for item in read.items), Decimal(0))
    assert read.summary.cost_usd == spent


@pytest.mark.our_choice
@pytest.mark.covers("batch.run")
def test_the_same_key_joins_and_replays_and_is_for_one_body(platform: Platform) -> None:
    """Contract 1.4, 10 row 18: the key travels as a header."""

    async def act(client: PlatformClient) -> tuple[BatchRead, ...]:
        key, wanted = platform.new_name(), BACKENDS[:1]
        together = await asyncio.gather(
            *(
                client.batches.run_to_end(TASKS, backends=wanted, idempotency_key=key)
                for _reader in range(2)
            )
        )
        again = await client.batches.run_to_end(TASKS, backends=wanted, idempotency_key=key)
        with pytest.raises(WrongState) as caught:
            await client.batches.run_to_end(TASKS[:1], backends=wanted, idempotency_key=key)
        assert caught.value.code == "INVALID_STATE"
        return (*together, again)

    first, second, again = signed(platform, act)
    assert first.batch_id is not None
    assert first == second == again


@pytest.mark.our_choice
@pytest.mark.covers("batch.run", "batch.cancel")
def test_a_cancelled_batch_keeps_what_was_completed(platform: Platform) -> None:
    """Contract 10 row 29."""

    async def act(client: PlatformClient) -> tuple[BatchRead, bool, bool]:
        key = platform.new_name()
        tasks = (*TASKS[:1], *(BatchTask("slow", SLOW[0].message),))
        stream = client.batches.run(tasks, backends=BACKENDS[:1], idempotency_key=key)
        batch_id = ""
        async with aclosing(stream):
            async for event in stream:
                batch_id = event.batch_id or batch_id
                if event.item is not None:
                    break
        cancelled = await client.batches.cancel(batch_id)
        read = await client.batches.run_to_end(tasks, backends=BACKENDS[:1], idempotency_key=key)
        return read, cancelled, await client.batches.cancel(platform.new_name())

    read, cancelled, missing = signed(platform, act)
    assert (cancelled, missing) == (True, False)
    by_task = {item.task_id: item for item in read.items}
    assert by_task["t1"].ok
    assert not by_task["slow"].ok
    assert read.summary is not None
    assert (read.summary.total_success, read.summary.total_failure) == (1, 1)


@pytest.mark.emulator_only
@pytest.mark.covers("batch.run")
def test_a_batch_without_a_key_ends_with_its_stream_and_a_keyed_one_goes_on(
    platform: Platform,
) -> None:
    """Contract 1.4: only the emulator shows what goes on in it."""

    async def statuses() -> list[str]:
        state = await asyncio.to_thread(platform.control, "GET", "state")
        return sorted(execution["status"] for execution in state["executions"])

    async def act(client: PlatformClient) -> None:
        batch_id = ""
        for key in (None, platform.new_name()):
            stream = client.batches.run(SLOW, backends=BACKENDS[:1], idempotency_key=key)
            async with aclosing(stream):
                async for event in stream:
                    batch_id = event.batch_id or batch_id
                    if event.type == "task.started":
                        break
        await until(statuses, lambda found: found == ["cancelled", "running"], within_s=60)
        await client.batches.cancel(batch_id)

    signed(platform, act)
