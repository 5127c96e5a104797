"""The account's money (contract 5)."""

from decimal import Decimal

import pytest

from fleets.platform_api.answers.billing import Balance, Transaction
from fleets.platform_api.client import PlatformClient
from tests.contract.machines import MachineUnderTest
from tests.contract.platform import BUDGET_USD, Platform

PROMPT = "Say hello in one sentence. [[ok]]"


@pytest.mark.from_source
@pytest.mark.covers("billing.balance")
def test_a_balance_says_what_is_left_and_what_was_spent(platform: Platform) -> None:
    """Contract 5."""

    async def act(client: PlatformClient) -> Balance:
        return await client.billing.balance()

    balance = platform.run(act)
    assert balance.balance_usd is not None
    assert balance.lifetime_spent_usd is not None
    assert balance.lifetime_spent_usd >= 0


@pytest.mark.from_source
@pytest.mark.covers("billing.transactions")
def test_a_key_that_spent_has_transactions_of_its_own(platform: Platform) -> None:
    """Contract 5: rows by key, with their type."""

    async def act(made: MachineUnderTest) -> tuple[Transaction, ...]:
        await made.dispatch("agent-1", "t1-1", PROMPT)
        await made.ended("agent-1")
        return await made.until(
            lambda: made.account.billing.transactions(limit=50, key_id=made.key.id), bool
        )

    rows = platform.with_machine(act)
    assert {row.key_id for row in rows} <= {rows[0].key_id, None}
    assert {row.kind for row in rows} <= {"compute", "inference", "refund"}
    amounts = [abs(row.amount_usd) for row in rows if row.amount_usd is not None]
    assert len(amounts) == len(rows)
    assert 0 < sum(amounts, Decimal(0)) < BUDGET_USD


@pytest.mark.from_source
@pytest.mark.covers("billing.transactions")
def test_no_more_transactions_come_than_were_asked_for(platform: Platform) -> None:
    """Contract 5: `limit`."""

    async def act(client: PlatformClient) -> tuple[Transaction, ...]:
        return await client.billing.transactions(limit=1)

    assert len(platform.run(act)) <= 1
