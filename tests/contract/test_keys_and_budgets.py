"""Keys, who signs what, cut off, and what a budget refuses (contract 5, 10 rows 16, 24, 30–33)."""

import asyncio
import uuid
from decimal import Decimal

import pytest

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import (
    BadRequest,
    BudgetExhausted,
    Forbidden,
    NotFound,
    Unauthenticated,
)
from fleets.platform_api.reading import TurnReading, read_turn
from fleets.platform_api.secret import Secret
from fleets.platform_api.types import KeyMinted, KeyRow
from tests.contract.platform import BACKEND, FleetUnderTest, Platform

PROMPT = "Say hello in one sentence. [[ok]]"


async def mint(client: PlatformClient, usd: str) -> KeyMinted:
    return await client.keys.mint(f"contract {uuid.uuid4().hex}", budget_usd=Decimal(usd))


@pytest.mark.from_source
def test_a_minted_key_is_a_child_with_its_budget_and_works(platform: Platform) -> None:
    """Contract 5."""

    async def act(client: PlatformClient) -> tuple[KeyMinted, KeyRow, tuple[KeyRow, ...]]:
        minted = await mint(client, "0.25")
        row = await client.keys.get(minted.id)
        await client.with_key(minted.key).keys.get(minted.id)
        children = await client.keys.list_children()
        await client.keys.revoke(minted.id)
        return minted, row, children

    minted, row, children = platform.run(act)
    assert minted.key.reveal().startswith("sk-tan-")
    assert (row.id, row.budget_usd, row.spent_usd) == (minted.id, Decimal("0.25"), Decimal(0))
    assert row.revoked_at is None
    assert minted.id in {child.id for child in children}
    assert minted.name == row.name


@pytest.mark.from_source
def test_a_revoked_key_is_refused_and_keeps_its_row(platform: Platform) -> None:
    """Contract 5, 1.2."""

    async def act(client: PlatformClient) -> KeyRow:
        minted = await mint(client, "0.01")
        await client.keys.revoke(minted.id)
        with pytest.raises(Unauthenticated):
            await client.with_key(minted.key).keys.list_children()
        return await client.keys.get(minted.id)

    assert platform.run(act).revoked_at is not None


@pytest.mark.from_source
def test_an_unknown_key_is_unauthenticated(platform: Platform) -> None:
    """Contract 1.2."""

    async def act(client: PlatformClient) -> None:
        with pytest.raises(Unauthenticated):
            await client.with_key(Secret("sk-tan-nobody")).keys.list_children()

    platform.run(act)


@pytest.mark.from_source
def test_a_child_may_not_have_more_than_its_parent_has_left(platform: Platform) -> None:
    """Contract 4.3, 5: a $0.30 parent admits two $0.12 children and refuses a third."""

    async def act(client: PlatformClient) -> tuple[KeyRow, KeyRow]:
        parent = await mint(client, "0.30")
        signed = client.with_key(parent.key)
        first = await mint(signed, "0.12")
        await mint(signed, "0.12")
        with pytest.raises(BudgetExhausted):
            await mint(signed, "0.12")
        row = await client.keys.get(parent.id)
        await client.keys.revoke(parent.id)
        return row, await client.keys.get(first.id)

    parent, child = platform.run(act)
    assert parent.remaining_usd is None or parent.remaining_usd == Decimal("0.06")
    assert parent.reserved_usd is None or parent.reserved_usd == Decimal("0.24")
    assert child.revoked_at is not None  # with its parent


@pytest.mark.our_choice
def test_the_figures_of_a_key_add_up(platform: Platform) -> None:
    """Contract 10 rows 16 and 30: what is left over besides spent and reserved is held."""

    async def act(fleet: FleetUnderTest) -> KeyRow:
        await fleet.dispatch("agent-1", "t1-1", PROMPT)
        await fleet.finished("agent-1")
        return await fleet.account.keys.get(fleet.key.id)

    row = platform.with_fleet(act)
    assert row.budget_usd == Decimal("1.5")
    assert row.spent_usd is not None
    assert row.reserved_usd is not None
    assert row.remaining_usd is not None
    assert row.spent_usd > 0
    assert row.budget_usd >= row.spent_usd + row.reserved_usd + row.remaining_usd


@pytest.mark.our_choice
def test_a_turn_of_a_budgeted_fleet_needs_the_fleets_key(platform: Platform) -> None:
    """Contract 10 row 31: the account key and another fleet's key are refused."""

    async def act(fleet: FleetUnderTest) -> None:
        other = await mint(fleet.account, "0.01")
        for client in (fleet.account, fleet.account.with_key(other.key)):
            with pytest.raises(Forbidden):
                await client.sessions.dispatch(
                    fleet.sandbox_id, session_id="a", turn_id="t1-1", prompt="x", backend=BACKEND
                )
        await fleet.account.keys.revoke(other.id)
        page = await fleet.account.sessions.list(fleet.sandbox_id)
        assert page.sessions == ()

    platform.with_fleet(act)


@pytest.mark.our_choice
def test_reads_and_abort_carry_the_account_key(platform: Platform) -> None:
    """Contract 10 row 31."""

    async def act(fleet: FleetUnderTest) -> None:
        await fleet.dispatch("agent-1", "t1-1", f"{PROMPT} [[slow 20]]")
        await fleet.account.fleets.get(fleet.fleet.fleet_id)
        await fleet.account.sandboxes.get(fleet.sandbox_id)
        await fleet.account.sessions.list(fleet.sandbox_id)
        assert (await fleet.account.sessions.abort(fleet.sandbox_id, "agent-1")).cancelled

    platform.with_fleet(act)


@pytest.mark.our_choice
def test_cut_off_lets_calls_in_flight_settle_and_refuses_the_rest(platform: Platform) -> None:
    """Contract 10 row 24: a budget below what is spent means nothing more; raising reopens."""

    async def act(fleet: FleetUnderTest) -> tuple[TurnReading, TurnReading, TurnReading]:
        running = await fleet.dispatch("agent-1", "t1-1", "Go on. [[ok]] [[calls 30]] [[slow 3]]")
        await asyncio.sleep(0.3)
        cut = await fleet.account.keys.patch(fleet.key.id, budget_usd=Decimal(0))
        assert cut.budget_usd == 0
        first = await fleet.frames("agent-1", execution_id=running.execution_id)
        await fleet.dispatch("agent-2", "t2-1", PROMPT)
        second = await fleet.frames("agent-2")
        with pytest.raises(BudgetExhausted):
            await mint(fleet.signed, "0.01")
        await fleet.account.keys.patch(fleet.key.id, budget_usd=Decimal("1.5"))
        await fleet.dispatch("agent-3", "t3-1", PROMPT)
        third = await fleet.frames("agent-3")
        return read_turn(first.events), read_turn(second.events), read_turn(third.events)

    first, second, third = platform.with_fleet(act)
    assert first.budget_refused
    assert second.budget_refused
    assert second.model_calls == 0
    assert third.outcome_type == "completed"


@pytest.mark.our_choice
def test_a_call_whose_worst_case_does_not_fit_ends_the_turn(platform: Platform) -> None:
    """Contract 5, 10 row 16: `error` with `errorCode` `budget_exceeded`."""

    async def act(fleet: FleetUnderTest) -> TurnReading:
        await fleet.dispatch("agent-1", "t1-1", PROMPT)
        return read_turn((await fleet.frames("agent-1")).events)

    reading = platform.with_fleet(act, budget_usd=Decimal("0.02"))
    assert reading.ended
    assert (reading.outcome_type, reading.budget_refused) == ("failed", True)


@pytest.mark.emulator_only
def test_spend_is_the_ledgers_to_the_nanodollar(platform: Platform) -> None:
    """Contract 10 row 23: JSON numbers, read as Decimal, equal to the service's integers."""

    async def act(fleet: FleetUnderTest) -> None:
        for number in (1, 2, 3):
            await fleet.dispatch(f"agent-{number}", f"t{number}-1", PROMPT)
        for number in (1, 2, 3):
            await fleet.finished(f"agent-{number}")
        await fleet.account.sandboxes.delete(fleet.sandbox_id)
        await asyncio.sleep(0.1)
        row = await fleet.account.keys.get(fleet.key.id)
        state = platform.control("GET", "state")
        ledger = next(key for key in state["keys"] if key["keyId"] == fleet.key.id)
        assert row.spent_usd == Decimal(ledger["spentNusd"]).scaleb(-9)
        assert row.reserved_usd == Decimal(ledger["reservedNusd"]).scaleb(-9)
        assert row.remaining_usd == Decimal(ledger["remainingNusd"]).scaleb(-9)
        costs = [execution["costNusd"] for execution in state["executions"]]
        assert len(costs) == 3
        assert all(cost > 0 for cost in costs)

    platform.with_fleet(act)


@pytest.mark.from_source
def test_a_key_that_is_not_there_is_not_found(platform: Platform) -> None:
    """Contract 1.2."""

    async def act(client: PlatformClient) -> None:
        with pytest.raises(NotFound):
            await client.keys.get(f"key-{uuid.uuid4().hex}")

    platform.run(act)


@pytest.mark.emulator_only
def test_a_call_to_the_wrong_host_fails(platform: Platform) -> None:
    """Contract 1.1: three hosts; a prefix of its own each, so that a mix-up shows."""

    async def act(client: PlatformClient) -> None:
        del client
        urls = platform.urls
        swapped = type(urls)(sandbox=urls.id, id=urls.sandbox, router=urls.router)
        async with platform.client(urls=swapped) as wrong:
            for call in (wrong.fleets.list(), wrong.keys.list_children()):
                with pytest.raises(Exception, match=r"does not know|NOT_SUPPORTED"):
                    await call

    platform.run(act)


@pytest.mark.emulator_only
def test_an_unknown_field_is_refused(platform: Platform) -> None:
    """Contract head, rule 2: the emulator is as strict as we write."""

    async def act(client: PlatformClient) -> None:
        with pytest.raises(BadRequest):
            await client.fleets.create(
                f"fleet-{uuid.uuid4().hex[:12]}",
                machines=[{"machineId": "m-1", "size": "small"}],
            )

    platform.run(act)
