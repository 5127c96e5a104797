"""Fleets and their machines: create, replay, list, delete the tree (contract 4, 10 rows 1–5)."""

import uuid
from decimal import Decimal

import pytest

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, WrongState
from fleets.platform_api.types import FleetRow
from tests.contract.platform import FleetUnderTest, Platform, until

DEFAULTS = {"environment": "universal", "maxLifetimeSeconds": 1800}


def new_id() -> str:
    return f"fleet-{uuid.uuid4().hex[:12]}"


async def create(client: PlatformClient, fleet_id: str, *, key: str | None = None) -> FleetRow:
    return await client.fleets.create(
        fleet_id,
        machines=[{"machineId": "m-1"}],
        defaults=DEFAULTS,
        metadata={"purpose": "contract"},
        idempotency_key=key,
    )


async def delete(client: PlatformClient, fleet_id: str, *, within_s: float) -> None:
    await until(
        lambda: client.fleets.delete(fleet_id),
        lambda deletion: deletion.is_done,
        within_s=within_s,
    )


async def exists(client: PlatformClient, sandbox_id: str) -> bool:
    try:
        return (await client.sandboxes.get(sandbox_id)).status != "deleted"
    except NotFound:
        return False


@pytest.mark.our_choice
def test_a_create_answers_at_once_and_the_machines_come_up(platform: Platform) -> None:
    """Contract 10 rows 1 and 2."""

    async def act(fleet: FleetUnderTest) -> FleetRow:
        return await fleet.account.fleets.get(fleet.fleet.fleet_id)

    fleet = platform.with_fleet(act, machines=3)
    assert fleet.status == "running"
    assert [machine.machine_id for machine in fleet.machines] == ["m-1", "m-2", "m-3"]
    assert {machine.status for machine in fleet.machines} == {"running"}
    assert len({machine.sandbox_id for machine in fleet.machines}) == 3


@pytest.mark.our_choice
def test_a_keyed_create_again_is_the_same_fleet(platform: Platform) -> None:
    """Contract 1.4, 10 row 1."""

    async def act(client: PlatformClient) -> tuple[FleetRow, FleetRow]:
        fleet_id, key = new_id(), uuid.uuid4().hex
        first = await create(client, fleet_id, key=key)
        second = await create(client, fleet_id, key=key)
        await delete(client, fleet_id, within_s=platform.patience_s)
        return first, second

    first, second = platform.run(act)
    assert first.fleet_id == second.fleet_id
    assert [row.sandbox_id for row in first.machines] == [row.sandbox_id for row in second.machines]


@pytest.mark.our_choice
def test_a_key_is_for_one_body_and_an_id_for_one_fleet(platform: Platform) -> None:
    """Contract 10 rows 1 and 4: 409 `INVALID_STATE`."""

    async def act(client: PlatformClient) -> None:
        fleet_id, key = new_id(), uuid.uuid4().hex
        await create(client, fleet_id, key=key)
        with pytest.raises(WrongState):
            await create(client, new_id(), key=key)
        with pytest.raises(WrongState) as caught:
            await create(client, fleet_id)
        assert caught.value.code == "INVALID_STATE"
        await delete(client, fleet_id, within_s=platform.patience_s)

    platform.run(act)


@pytest.mark.our_choice
def test_a_list_pages_and_keeps_metadata(platform: Platform) -> None:
    """Contract 10 row 3."""

    async def act(client: PlatformClient) -> None:
        made = [new_id() for _ in range(3)]
        for fleet_id in made:
            await create(client, fleet_id)
        found: dict[str, FleetRow] = {}
        offset = 0
        while True:
            page = await client.fleets.list(limit=2, offset=offset)
            found |= {row.fleet_id: row for row in page.fleets}
            offset += 2
            if not page.fleets or (page.total is not None and offset >= page.total):
                break
        assert set(made) <= set(found)
        assert found[made[0]].metadata == {"purpose": "contract"}
        for fleet_id in made:
            await delete(client, fleet_id, within_s=platform.patience_s)

    platform.run(act)


@pytest.mark.our_choice
def test_a_delete_takes_the_tree_its_machines_and_its_keys(platform: Platform) -> None:
    """Contract 10 rows 5 and 33: children first, 202 until nothing remains, then 404."""

    async def act(fleet: FleetUnderTest) -> None:
        parent = fleet.fleet.fleet_id
        child_key = await fleet.signed.keys.mint(f"child of {parent}", budget_usd=Decimal("0.2"))
        child = await fleet.account.with_key(child_key.key).fleets.create(
            new_id(),
            machines=[{"machineId": "m-1"}],
            defaults=DEFAULTS,
            parent={"fleetId": parent, "agentId": "agent-1"},
        )
        listed = await fleet.account.fleets.list(parent_fleet_id=parent)
        assert [row.fleet_id for row in listed.fleets] == [child.fleet_id]
        await delete(fleet.account, parent, within_s=platform.patience_s)
        for gone in (parent, child.fleet_id):
            with pytest.raises(NotFound):
                await fleet.account.fleets.get(gone)
        with pytest.raises(NotFound):
            await fleet.account.fleets.delete(parent)
        with pytest.raises(NotFound):
            await fleet.account.sandboxes.get(fleet.sandbox_id)
        rows = [await fleet.account.keys.get(key.id) for key in (fleet.key, child_key)]
        assert all(row.revoked_at is not None for row in rows)

    platform.with_fleet(act)


@pytest.mark.emulator_only
def test_a_delete_in_progress_names_the_machines_that_are_left(platform: Platform) -> None:
    """Contract 10 row 5: 202 with one row per machine, then 200 once, then nothing is left."""
    platform.control("POST", "dials", {"create_time_factor": 0.2})

    async def act(fleet: FleetUnderTest) -> None:
        first = await fleet.account.fleets.delete(fleet.fleet.fleet_id)
        assert (first.status, len(first.machines)) == ("deleting", 2)
        assert not first.is_done

    platform.with_fleet(act, machines=2)
    left = platform.control("GET", "left")
    assert not any(left.values()), left


@pytest.mark.from_source
def test_a_sandbox_stops_resumes_and_goes(platform: Platform) -> None:
    """Contract 2.1, 2.3."""

    async def act(fleet: FleetUnderTest) -> None:
        boxes = fleet.account.sandboxes
        listed = await boxes.list()
        assert fleet.sandbox_id in {row.sandbox_id for row in listed}
        await boxes.stop(fleet.sandbox_id)
        for wanted, change in (("stopped", boxes.resume), ("running", boxes.delete)):
            await until(
                lambda: boxes.get(fleet.sandbox_id),
                lambda row, wanted=wanted: row.status == wanted,  # type: ignore[misc]
                within_s=platform.patience_s,
            )
            await change(fleet.sandbox_id)
        await until(
            lambda: exists(fleet.account, fleet.sandbox_id),
            lambda there: not there,
            within_s=platform.patience_s,
        )

    platform.with_fleet(act)


@pytest.mark.from_source
def test_what_is_not_there_is_not_found(platform: Platform) -> None:
    """Contract 1.2."""

    async def act(client: PlatformClient) -> None:
        with pytest.raises(NotFound):
            await client.fleets.get(new_id())
        with pytest.raises(NotFound):
            await client.sandboxes.get("sandbox-000000000000")

    platform.run(act)
