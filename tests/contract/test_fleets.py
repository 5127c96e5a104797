"""Fleets and their machines: create, replay, list, delete the tree (contract 4, 10 rows 1–5)."""

import uuid

import pytest

from fleets.platform_api.answers.fleet_figures import FleetCost, FleetDriver, FleetUsage
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, WrongState
from fleets.platform_api.types import FleetRow
from tests.contract.machines import FleetUnderTest, until
from tests.contract.platform import Platform

DEFAULTS = {"environment": "universal", "maxLifetimeSeconds": 1800}


async def create(client: PlatformClient, fleet_id: str, *, key: str | None = None) -> FleetRow:
    return await client.fleets.create(
        fleet_id,
        machines=[{"machineId": "m-1"}],
        defaults=DEFAULTS,
        metadata={"purpose": "contract"},
        idempotency_key=key,
    )


async def delete(platform: Platform, client: PlatformClient, fleet_id: str) -> None:
    await until(
        lambda: client.fleets.delete(fleet_id),
        lambda deletion: deletion.is_done,
        within_s=platform.patience_s,
        pause_s=platform.pause_s,
    )


@pytest.mark.our_choice
@pytest.mark.covers("fleets.create", "fleets.get")
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
@pytest.mark.covers("fleets.create")
def test_a_keyed_create_again_is_the_same_fleet(platform: Platform) -> None:
    """Contract 1.4, 10 row 1."""

    async def act(client: PlatformClient) -> tuple[FleetRow, FleetRow]:
        fleet_id, key = platform.new_name(), uuid.uuid4().hex
        first = await create(client, fleet_id, key=key)
        second = await create(client, fleet_id, key=key)
        await delete(platform, client, fleet_id)
        return first, second

    first, second = platform.run(act)
    assert first.fleet_id == second.fleet_id
    assert [row.sandbox_id for row in first.machines] == [row.sandbox_id for row in second.machines]


@pytest.mark.our_choice
@pytest.mark.covers("fleets.create")
def test_a_key_is_for_one_body_and_an_id_for_one_fleet(platform: Platform) -> None:
    """Contract 10 rows 1 and 4: 409 `INVALID_STATE`."""

    async def act(client: PlatformClient) -> None:
        fleet_id, key = platform.new_name(), uuid.uuid4().hex
        await create(client, fleet_id, key=key)
        with pytest.raises(WrongState):
            await create(client, platform.new_name(), key=key)
        with pytest.raises(WrongState) as caught:
            await create(client, fleet_id)
        assert caught.value.code == "INVALID_STATE"
        await delete(platform, client, fleet_id)

    platform.run(act)


@pytest.mark.our_choice
@pytest.mark.covers("fleets.list")
def test_a_list_pages_and_keeps_metadata(platform: Platform) -> None:
    """Contract 10 row 3."""

    async def act(client: PlatformClient) -> None:
        made = [platform.new_name() for _ in range(3)]
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
            await delete(platform, client, fleet_id)

    platform.run(act)


@pytest.mark.our_choice
@pytest.mark.covers("fleets.delete", "fleets.list")
def test_a_delete_takes_the_tree_its_machines_and_its_keys(platform: Platform) -> None:
    """Contract 10 rows 5 and 33: children first, 202 until nothing remains, then 404."""

    async def act(fleet: FleetUnderTest) -> None:
        parent = fleet.fleet.fleet_id
        child_key = await platform.mint(fleet.signed, "0.2")
        child = await fleet.account.with_key(child_key.key).fleets.create(
            platform.new_name(),
            machines=[{"machineId": "m-1"}],
            defaults=DEFAULTS,
            parent={"fleetId": parent, "agentId": "agent-1"},
        )
        listed = await fleet.account.fleets.list(parent_fleet_id=parent)
        assert [row.fleet_id for row in listed.fleets] == [child.fleet_id]
        await delete(platform, fleet.account, parent)
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
@pytest.mark.covers("fleets.delete")
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


@pytest.mark.our_choice
@pytest.mark.covers("fleets.get")
def test_a_fleet_that_is_not_there_is_not_found(platform: Platform) -> None:
    """Contract 10 row 3: 404 `NOT_FOUND`."""

    async def act(client: PlatformClient) -> None:
        with pytest.raises(NotFound) as caught:
            await client.fleets.get(platform.new_name())
        assert caught.value.code == "NOT_FOUND"

    platform.run(act)


@pytest.mark.our_choice
@pytest.mark.covers("fleets.create")
def test_a_coordinator_is_a_machine_with_that_role(platform: Platform) -> None:
    """Contract 10 row 1."""

    async def act(client: PlatformClient) -> FleetRow:
        fleet_id = platform.new_name()
        made = await client.fleets.create(
            fleet_id,
            machines=[{"machineId": "w-1"}, {"machineId": "w-2"}],
            coordinator={"machineId": "lead"},
            defaults=DEFAULTS,
            idempotency_key=fleet_id,
        )
        await delete(platform, client, fleet_id)
        return made

    roles = {row.machine_id: row.role for row in platform.run(act).machines}
    assert roles["lead"] == "coordinator"
    assert roles["w-1"] == roles["w-2"] != "coordinator"


@pytest.mark.our_choice
@pytest.mark.covers("fleets.list")
def test_children_are_listed_one_step_down(platform: Platform) -> None:
    """Contract 10 row 3: `parentFleetId`."""

    async def act(client: PlatformClient) -> list[tuple[str, ...]]:
        names = [platform.new_name() for _step in range(3)]
        for above, below in zip((None, *names), names, strict=False):
            await client.fleets.create(
                below,
                machines=[{"machineId": "m-1"}],
                defaults=DEFAULTS,
                parent=None if above is None else {"fleetId": above, "agentId": "agent-1"},
                idempotency_key=below,
            )
        pages = [await client.fleets.children(name) for name in names]
        await delete(platform, client, names[0])
        assert [page.fleets[0].parent for page in pages if page.fleets] == [
            {"fleetId": names[0], "agentId": "agent-1"},
            {"fleetId": names[1], "agentId": "agent-1"},
        ]
        return [tuple(row.fleet_id for row in page.fleets) for page in pages] + [tuple(names)]

    *found, names = platform.run(act)
    assert found == [(names[1],), (names[2],), ()]


@pytest.mark.from_source
@pytest.mark.covers("fleets.capabilities")
def test_capabilities_is_no_fleet_id(platform: Platform) -> None:
    """Contract 4.1: `{drivers:[{driverType, accelerators}]}`."""

    async def act(client: PlatformClient) -> tuple[FleetDriver, ...]:
        return await client.fleets.capabilities()

    drivers = platform.run(act)
    assert drivers
    assert all(driver.driver_type for driver in drivers)


@pytest.mark.from_source
@pytest.mark.covers("fleets.usage", "fleets.cost")
def test_a_fleet_tells_its_machines_time_and_hourly_cost(platform: Platform) -> None:
    """Contract 4.1."""

    async def act(fleet: FleetUnderTest) -> tuple[FleetUsage, FleetCost]:
        fleet_id = fleet.fleet.fleet_id
        return await fleet.account.fleets.usage(fleet_id), await fleet.account.fleets.cost(fleet_id)

    usage, cost = platform.with_fleet(act, machines=2)
    assert (usage.running_machines, usage.failed_machines) == (2, 0)
    assert set(usage.machine_runtime_ms) <= {"m-1", "m-2"}
    assert cost.hourly_usd is not None
    assert cost.hourly_usd > 0


@pytest.mark.from_source
@pytest.mark.covers("fleets.delete")
def test_a_deleted_fleet_leaves_no_sandbox(platform: Platform) -> None:
    """Contract 4.1, 4.3: after it, `GET` of the sandbox gives 404."""

    async def act(fleet: FleetUnderTest) -> None:
        await delete(platform, fleet.account, fleet.fleet.fleet_id)
        with pytest.raises(NotFound):
            await fleet.account.sandboxes.get(fleet.sandbox_id)

    platform.with_fleet(act)
