"""Keys: mint, read, change, rotate, revoke (contract 5)."""

from decimal import Decimal

import pytest

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import BudgetExhausted, NotFound, Unauthenticated
from fleets.platform_api.secret import Secret
from fleets.platform_api.types import KeyMinted, KeyRotated, KeyRow
from tests.contract.platform import Platform


@pytest.mark.from_source
@pytest.mark.covers("keys.mint", "keys.read", "keys.list", "keys.revoke")
def test_a_minted_key_is_a_child_with_its_budget_and_works(platform: Platform) -> None:
    """Contract 5."""

    async def act(client: PlatformClient) -> tuple[KeyMinted, KeyRow, tuple[KeyRow, ...]]:
        minted = await platform.mint(client, "0.25")
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
@pytest.mark.covers("keys.revoke")
def test_a_revoked_key_is_refused_and_keeps_its_row(platform: Platform) -> None:
    """Contract 5, 1.2."""

    async def act(client: PlatformClient) -> KeyRow:
        minted = await platform.mint(client, "0.01")
        await client.keys.revoke(minted.id)
        with pytest.raises(Unauthenticated):
            await client.with_key(minted.key).keys.list_children()
        return await client.keys.get(minted.id)

    assert platform.run(act).revoked_at is not None


@pytest.mark.from_source
@pytest.mark.covers("keys.list")
def test_an_unknown_key_is_unauthenticated(platform: Platform) -> None:
    """Contract 1.2."""

    async def act(client: PlatformClient) -> None:
        with pytest.raises(Unauthenticated):
            await client.with_key(Secret("sk-tan-nobody")).keys.list_children()

    platform.run(act)


@pytest.mark.from_source
@pytest.mark.covers("keys.patch")
def test_a_change_keeps_what_it_does_not_name(platform: Platform) -> None:
    """Contract 5: `PATCH` answers the row."""

    async def act(client: PlatformClient) -> tuple[KeyMinted, KeyRow, KeyRow]:
        minted = await platform.mint(client, "0.25")
        renamed = await client.keys.patch(minted.id, name=f"{minted.name}-b", rpm_limit=30)
        raised = await client.keys.patch(minted.id, budget_usd=Decimal("0.30"))
        await client.keys.revoke(minted.id)
        return minted, renamed, raised

    minted, renamed, raised = platform.run(act)
    assert (renamed.name, renamed.budget_usd) == (f"{minted.name}-b", Decimal("0.25"))
    assert (raised.name, raised.budget_usd) == (f"{minted.name}-b", Decimal("0.30"))
    assert (renamed.rpm_limit, raised.rpm_limit) == (30, 30)


@pytest.mark.from_source
@pytest.mark.covers("keys.mint", "keys.revoke")
def test_a_child_may_not_have_more_than_its_parent_has_left(platform: Platform) -> None:
    """Contract 4.3, 5: a $0.30 parent admits two $0.12 children and refuses a third."""

    async def act(client: PlatformClient) -> tuple[KeyRow, KeyRow]:
        parent = await platform.mint(client, "0.30")
        signed = client.with_key(parent.key)
        first = await platform.mint(signed, "0.12")
        await platform.mint(signed, "0.12")
        with pytest.raises(BudgetExhausted):
            await platform.mint(signed, "0.12")
        row = await client.keys.get(parent.id)
        await client.keys.revoke(parent.id)
        return row, await client.keys.get(first.id)

    parent, child = platform.run(act)
    assert parent.remaining_usd is None or parent.remaining_usd == Decimal("0.06")
    assert parent.reserved_usd is None or parent.reserved_usd == Decimal("0.24")
    assert child.revoked_at is not None  # with its parent


@pytest.mark.from_source
@pytest.mark.covers("keys.mint")
def test_a_child_has_its_parents_limits(platform: Platform) -> None:
    """Contract 5: a child inherits product, models and calls per minute."""

    async def act(client: PlatformClient) -> KeyRow:
        parent = await client.keys.mint(
            platform.new_name(),
            budget_usd=Decimal("0.02"),
            allowed_models=("gpt-4.1-mini",),
            rpm_limit=30,
        )
        child = await platform.mint(client.with_key(parent.key), "0.01")
        row = await client.keys.get(child.id)
        await client.keys.revoke(parent.id)
        return row

    row = platform.run(act)
    assert (row.allowed_models, row.rpm_limit) == (("gpt-4.1-mini",), 30)


@pytest.mark.from_source
@pytest.mark.covers("keys.rotate")
def test_a_rotated_key_ends_and_another_goes_on(platform: Platform) -> None:
    """Contract 5: `{newKey, revokedKeyId}`."""

    async def act(client: PlatformClient) -> tuple[KeyMinted, KeyRotated, KeyRow]:
        minted = await platform.mint(client, "0.01")
        rotated = await client.keys.rotate(minted.id)
        await client.with_key(rotated.key).keys.list_children()
        old = await client.keys.get(minted.id)
        for row in await client.keys.list_children():
            if row.name == minted.name and row.revoked_at is None:
                await client.keys.revoke(row.id)
        return minted, rotated, old

    minted, rotated, old = platform.run(act)
    assert rotated.revoked_key_id == minted.id
    assert old.revoked_at is not None
    assert rotated.key != minted.key


@pytest.mark.from_source
@pytest.mark.covers("keys.read")
def test_a_key_that_is_not_there_is_not_found(platform: Platform) -> None:
    """Contract 1.2."""

    async def act(client: PlatformClient) -> None:
        with pytest.raises(NotFound):
            await client.keys.get(platform.new_name())

    platform.run(act)
