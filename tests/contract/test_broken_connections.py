"""What the client says, and never does twice, when connections break (contract 1.3, 11).

Every test counts what arrived at the other end. `abort` stands for a POST, `revoke` for a DELETE.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.connections import Timeouts
from fleets.platform_api.errors import (
    ConnectFailed,
    PlatformError,
    PlatformUnavailable,
    ServerFault,
    TimedOut,
)
from fleets.platform_api.patience import answers_within
from fleets.platform_api.retry import RetryPolicy
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import Transport
from fleets.platform_api.types import BaseUrls
from tests.contract.machines import FleetUnderTest, until
from tests.contract.platform import ONCE, Platform
from tests.contract.rude_peer import Manner, RudePeer, nobody_listens, rude_peer

Act = Callable[[PlatformClient], Awaitable[Any]]
POST: Act = lambda client: client.sessions.abort("sandbox-1", "agent-1")  # noqa: E731
DELETE: Act = lambda client: client.keys.revoke("key-1")  # noqa: E731
GET: Act = lambda client: client.keys.get("key-1")  # noqa: E731
QUICK = RetryPolicy(attempts=3, first_wait_s=0.01, longest_wait_s=0.02)
BOTH = pytest.mark.parametrize("act", [POST, DELETE], ids=["POST", "DELETE"])


async def failure(url: str, act: Act, *, retry: RetryPolicy = ONCE, **facts: Any) -> PlatformError:
    transport = Transport(retry=retry, **facts)
    urls = BaseUrls(sandbox=url, id=url, router=url)
    try:
        await act(PlatformClient(urls, Secret("k"), transport=transport))
    except PlatformError as error:
        return error
    finally:
        await transport.aclose()
    raise AssertionError("it answered")


def at_rude_peer(
    manner: Manner, act: Act, *, retry: RetryPolicy = ONCE, **facts: Any
) -> tuple[PlatformError, RudePeer]:
    async def go() -> tuple[PlatformError, RudePeer]:
        async with rude_peer(manner) as peer:
            return await failure(peer.url, act, retry=retry, **facts), peer

    return asyncio.run(go())


@pytest.mark.emulator_only
@BOTH
def test_a_refused_connection_certainly_sent_nothing(act: Act) -> None:
    error = asyncio.run(failure(nobody_listens(), act))
    assert isinstance(error, ConnectFailed)
    assert (error.sent, error.outcome_unknown) == (False, False)


@pytest.mark.emulator_only
@BOTH
@pytest.mark.parametrize("manner", ["close", "reset", "garbage"])
def test_a_connection_lost_after_the_request_leaves_the_outcome_unknown(
    act: Act, manner: Manner
) -> None:
    error, peer = at_rude_peer(manner, act)
    assert isinstance(error, ConnectFailed)
    assert error.sent is None
    assert error.outcome_unknown
    assert len(peer.arrivals) == 1


@pytest.mark.emulator_only
@BOTH
def test_silence_is_a_time_out_of_unknown_outcome(act: Act) -> None:
    error, peer = at_rude_peer("silence", act, timeouts=Timeouts(read_s=0.2))
    assert isinstance(error, TimedOut)
    assert error.outcome_unknown
    assert len(peer.arrivals) == 1


@pytest.mark.emulator_only
def test_an_answer_cut_in_the_middle_leaves_the_outcome_unknown() -> None:
    error, peer = at_rude_peer("cut", POST)
    assert isinstance(error, PlatformUnavailable)
    assert error.outcome_unknown
    assert len(peer.arrivals) == 1


@pytest.mark.emulator_only
@pytest.mark.parametrize(
    ("act", "arrivals"), [(POST, 1), (DELETE, 3), (GET, 3)], ids=["POST", "DELETE", "GET"]
)
def test_only_what_may_be_repeated_arrives_again(act: Act, arrivals: int) -> None:
    _error, peer = at_rude_peer("reset", act, retry=QUICK)
    assert len(peer.arrivals) == arrivals


@pytest.mark.emulator_only
@BOTH
@pytest.mark.parametrize("manner", ["close", "reset"])
def test_a_kept_connection_that_breaks_is_not_silently_used_twice(act: Act, manner: Manner) -> None:
    """The HTTP library repeats idempotent requests on kept connections unless told not to."""

    async def go() -> tuple[PlatformError, list[str], int]:
        async with rude_peer("answer", manner) as peer:
            transport = Transport(retry=ONCE)
            urls = BaseUrls(sandbox=peer.url, id=peer.url, router=peer.url)
            client = PlatformClient(urls, Secret("k"), transport=transport)
            await GET(client)
            with pytest.raises(PlatformUnavailable) as caught:
                await act(client)
            await transport.aclose()
            return caught.value, peer.arrivals, peer.connections

    error, arrivals, connections = asyncio.run(go())
    assert (len(arrivals), connections) == (2, 1)
    assert error.outcome_unknown


@pytest.mark.emulator_only
def test_a_connection_closed_between_two_rounds_is_noticed_before_it_is_used() -> None:
    async def go() -> tuple[list[str], int]:
        async with rude_peer("answer") as peer:
            transport = Transport(retry=ONCE)
            urls = BaseUrls(sandbox=peer.url, id=peer.url, router=peer.url)
            client = PlatformClient(urls, Secret("k"), transport=transport)
            await POST(client)
            peer.writers[0].close()
            await peer.writers[0].wait_closed()
            await transport.start_round()
            await POST(client)
            await transport.aclose()
            return peer.arrivals, peer.connections

    assert asyncio.run(go()) == (["POST", "POST"], 2)


READ_STREAM: Act = lambda client: client.sessions.read_events("sandbox-1", "agent-1")  # noqa: E731


@pytest.mark.emulator_only
@pytest.mark.parametrize("act", [GET, POST, READ_STREAM], ids=["GET", "POST", "stream"])
def test_who_waits_for_a_short_while_only_is_told_then_and_nothing_is_sent_twice(act: Act) -> None:
    began = time.monotonic()
    with answers_within(0.3):
        error, peer = at_rude_peer("silence", act, retry=QUICK)
    assert isinstance(error, TimedOut)
    assert error.outcome_unknown
    assert len(peer.arrivals) == 1
    assert time.monotonic() - began < Timeouts().read_s


@pytest.mark.emulator_only
def test_waiting_for_a_free_connection_in_vain_sent_nothing() -> None:
    async def go() -> tuple[PlatformError, list[str]]:
        async with rude_peer("silence") as peer:
            transport = Transport(
                retry=ONCE, connections=1, timeouts=Timeouts(pool_s=0.2, read_s=2)
            )
            urls = BaseUrls(sandbox=peer.url, id=peer.url, router=peer.url)
            client = PlatformClient(urls, Secret("k"), transport=transport)
            first = asyncio.create_task(_quietly(POST(client)))
            await until(lambda: _now(peer.arrivals), bool, within_s=60)
            with pytest.raises(TimedOut) as caught:
                await POST(client)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            await transport.aclose()
            return caught.value, peer.arrivals

    error, arrivals = asyncio.run(go())
    assert (error.sent, len(arrivals)) == (False, 1)


@pytest.mark.emulator_only
@pytest.mark.parametrize("kind", ["reset", "error", "timed_out_but_happened"])
def test_the_journal_sees_a_dispatch_once_and_its_repeat_is_the_same_turn(
    platform: Platform, kind: str
) -> None:
    """Contract 11: a call can fail and still have happened; the same `turnId` is safe."""

    async def act(fleet: FleetUnderTest) -> tuple[PlatformError, Any, Any]:
        platform.fault("sessions.dispatch", kind, count=1, latencyMs=10)
        with pytest.raises(PlatformUnavailable) as caught:
            await fleet.dispatch("agent-1", "t1-1", "Say hello. [[ok]]")
        before = len(platform.arrivals("sessions.dispatch"))
        repeat = await fleet.dispatch("agent-1", "t1-1", "Say hello. [[ok]]")
        await fleet.finished("agent-1")
        return caught.value, before, repeat

    error, before, repeat = platform.with_fleet(act)
    assert error.outcome_unknown
    assert before == 1
    assert repeat.admitted
    assert repeat.already_existed is (kind == "timed_out_but_happened")
    admitted = [entry["admitted"] for entry in platform.arrivals("sessions.dispatch")]
    assert admitted.count(True) == 1


@pytest.mark.emulator_only
@pytest.mark.parametrize("kind", ["reset", "timed_out_but_happened"])
def test_a_keyed_create_is_repeated_by_the_client_and_makes_one_fleet(
    platform: Platform, kind: str
) -> None:
    """Contract 1.4, 11."""
    platform.fault("fleets.create", kind, count=1, latencyMs=10)

    async def go() -> None:
        async with platform.client(retry=QUICK) as client:
            await client.fleets.create(
                "fleet-000000000001",
                machines=[{"machineId": "m-1"}],
                defaults={"maxLifetimeSeconds": 1800},
                idempotency_key="row-1",
            )

    asyncio.run(go())
    arrivals = platform.arrivals("fleets.create")
    assert [entry["idempotencyKey"] for entry in arrivals] == ["row-1", "row-1"]
    assert len(platform.control("GET", "state")["fleets"]) == 1


@pytest.mark.emulator_only
def test_a_mint_that_may_have_happened_is_not_sent_again(platform: Platform) -> None:
    """Contract 5: a mint has no key; its name is looked for among the children instead."""
    platform.fault("keys.mint", "timed_out_but_happened", count=1, latencyMs=10)

    async def go() -> list[str | None]:
        async with platform.client(retry=QUICK) as client:
            with pytest.raises(PlatformUnavailable) as caught:
                await client.keys.mint("fleet of row 7", budget_usd=None)
            assert caught.value.outcome_unknown
            return [row.name for row in await client.keys.list_children()]

    assert asyncio.run(go()) == ["fleet of row 7"]
    assert len(platform.arrivals("keys.mint")) == 1


@pytest.mark.emulator_only
def test_at_most_one_of_many_simultaneous_repeats_is_admitted(platform: Platform) -> None:
    """Contract 3.3: one execution per `turnId`."""

    async def act(fleet: FleetUnderTest) -> set[str | None]:
        receipts = await asyncio.gather(
            *(fleet.dispatch("agent-1", "t1-1", "Say hello. [[ok]]") for _ in range(20))
        )
        assert all(receipt.admitted for receipt in receipts)
        await fleet.finished("agent-1")
        return {receipt.execution_id for receipt in receipts}

    assert len(platform.with_fleet(act)) == 1
    admitted = [entry["admitted"] for entry in platform.arrivals("sessions.dispatch")]
    assert (len(admitted), admitted.count(True)) == (20, 1)


@pytest.mark.emulator_only
def test_a_502_to_an_abort_is_handed_up_and_not_repeated(platform: Platform) -> None:
    async def act(fleet: FleetUnderTest) -> None:
        await fleet.dispatch("agent-1", "t1-1", "Say hello. [[ok]] [[slow 200]]")
        platform.fault("sessions.abort", "error", count=1, status=502)
        async with platform.client(retry=QUICK) as client:
            with pytest.raises(ServerFault):
                await client.sessions.abort(fleet.sandbox_id, "agent-1")
            assert (await client.sessions.abort(fleet.sandbox_id, "agent-1")).cancelled

    platform.with_fleet(act)
    assert len(platform.arrivals("sessions.abort")) == 2


async def _quietly(act: Awaitable[Any]) -> None:
    try:
        await act
    except PlatformError:
        return


async def _now(value: list[str]) -> list[str]:
    return list(value)
