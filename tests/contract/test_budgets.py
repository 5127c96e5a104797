"""Who signs what, cut off, and what a budget refuses (contract 5, 10 rows 16, 24, 30–33)."""

import asyncio
import uuid
from decimal import Decimal
from typing import Any

import pytest

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import BadRequest, BudgetExhausted, Forbidden
from fleets.platform_api.reading import TurnReading, read_turn
from fleets.platform_api.types import KeyRow
from tests.contract.machines import BACKEND, FleetUnderTest
from tests.contract.platform import BUDGET_USD, Platform

PROMPT = "Say hello in one sentence. [[ok]]"


@pytest.mark.our_choice
def test_the_figures_of_a_key_add_up(platform: Platform) -> None:
    """Contract 10 rows 16 and 30: what is left over besides spent and reserved is held."""

    async def act(fleet: FleetUnderTest) -> KeyRow:
        await fleet.dispatch("agent-1", "t1-1", PROMPT)
        await fleet.finished("agent-1")
        return await fleet.account.keys.get(fleet.key.id)

    row = platform.with_fleet(act)
    assert row.budget_usd == BUDGET_USD
    assert row.spent_usd is not None
    assert row.reserved_usd is not None
    assert row.remaining_usd is not None
    assert row.spent_usd > 0
    assert row.budget_usd >= row.spent_usd + row.reserved_usd + row.remaining_usd


@pytest.mark.our_choice
def test_a_turn_of_a_budgeted_fleet_needs_the_fleets_key(platform: Platform) -> None:
    """Contract 10 row 31: the account key and another fleet's key are refused."""

    async def act(fleet: FleetUnderTest) -> None:
        other = await platform.mint(fleet.account, "0.01")
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
        await fleet.dispatch("agent-1", "t1-1", f"{PROMPT} [[slow 200]]")
        await fleet.account.fleets.get(fleet.fleet.fleet_id)
        await fleet.account.sandboxes.get(fleet.sandbox_id)
        await fleet.account.sessions.list(fleet.sandbox_id)
        assert (await fleet.account.sessions.abort(fleet.sandbox_id, "agent-1")).cancelled

    platform.with_fleet(act)


@pytest.mark.our_choice
def test_cut_off_lets_calls_in_flight_settle_and_refuses_the_rest(platform: Platform) -> None:
    """Contract 10 row 24: a budget below what is spent means nothing more; raising reopens."""

    async def act(fleet: FleetUnderTest) -> tuple[TurnReading, TurnReading, TurnReading]:
        running = await fleet.dispatch("agent-1", "t1-1", "Go on. [[ok]] [[calls 50]] [[slow 30]]")
        await asyncio.sleep(0.3)
        cut = await fleet.account.keys.patch(fleet.key.id, budget_usd=Decimal(0))
        assert cut.budget_usd == 0
        first = await fleet.frames("agent-1", execution_id=running.execution_id)
        await fleet.dispatch("agent-2", "t2-1", PROMPT)
        second = await fleet.frames("agent-2")
        with pytest.raises(BudgetExhausted):
            await platform.mint(fleet.signed, "0.01")
        await fleet.account.keys.patch(fleet.key.id, budget_usd=BUDGET_USD)
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

        def told() -> dict[str, Any]:
            keys = platform.control("GET", "state")["keys"]
            return next(key for key in keys if key["keyId"] == fleet.key.id)

        ledger, row = told(), await fleet.account.keys.get(fleet.key.id)
        # What the machine still held is settled a moment after its delete.
        while (later := told()) != ledger:
            ledger, row = later, await fleet.account.keys.get(fleet.key.id)
        assert row.spent_usd == Decimal(ledger["spentNusd"]).scaleb(-9)
        assert row.reserved_usd == Decimal(ledger["reservedNusd"]).scaleb(-9)
        assert row.remaining_usd == Decimal(ledger["remainingNusd"]).scaleb(-9)
        executions = platform.control("GET", "state")["executions"]
        costs = [execution["costNusd"] for execution in executions]
        assert len(costs) == 3
        assert all(cost > 0 for cost in costs)

    platform.with_fleet(act)


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
