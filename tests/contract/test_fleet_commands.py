"""One command on many machines (contract 4.1, 4.3)."""

import pytest

from fleets.platform_api.answers.commands import ExecDispatch
from tests.contract.machines import FleetUnderTest
from tests.contract.platform import Platform


@pytest.mark.from_source
@pytest.mark.covers("fleets.exec")
def test_a_command_on_all_machines_answers_for_each(platform: Platform) -> None:
    """Contract 4.1."""

    async def act(fleet: FleetUnderTest) -> ExecDispatch:
        return await fleet.account.fleets.exec(
            fleet.fleet.fleet_id, "echo here; exit 3", timeout_ms=20_000
        )

    found = platform.with_fleet(act, machines=2)
    assert found.dispatch_id
    assert {row.machine_id for row in found.rows} == {"m-1", "m-2"}
    for row in found.rows:
        assert row.result is not None
        assert (row.ok, row.result.exit_code, row.result.stdout) == (True, 3, "here\n")


@pytest.mark.from_source
@pytest.mark.covers("fleets.exec")
def test_a_command_goes_to_the_machines_that_were_named(platform: Platform) -> None:
    """Contract 4.1: `machines[]`; a machine that cannot run it is a row with an error."""

    async def act(fleet: FleetUnderTest) -> tuple[ExecDispatch, ExecDispatch]:
        client, fleet_id = fleet.account, fleet.fleet.fleet_id
        one = await client.fleets.exec(fleet_id, "true", machines=("m-2",), max_concurrent=1)
        await client.sandboxes.stop(fleet.sandbox_id)
        await fleet.until(
            lambda: client.sandboxes.get(fleet.sandbox_id), lambda row: row.status == "stopped"
        )
        return one, await client.fleets.exec(fleet_id, "true")

    one, both = platform.with_fleet(act, machines=2)
    assert [row.machine_id for row in one.rows] == ["m-2"]
    by_name = {row.machine_id: row for row in both.rows}
    assert by_name["m-2"].ok
    assert (by_name["m-1"].ok, by_name["m-1"].result) == (False, None)
    assert by_name["m-1"].error


@pytest.mark.our_choice
@pytest.mark.covers("fleets.exec", "fleets.dispatch")
def test_a_dispatch_is_read_again_with_the_same_body(platform: Platform) -> None:
    """Contract 10 row 7."""

    async def act(fleet: FleetUnderTest) -> tuple[ExecDispatch, ...]:
        client, fleet_id = fleet.account, fleet.fleet.fleet_id
        first = await client.fleets.exec(fleet_id, "echo here")
        again = await client.fleets.exec_results(fleet_id, first.dispatch_id or "")
        assert again is not None
        assert await client.fleets.exec_results(fleet_id, "dispatch-none") is None
        return first, again

    first, again = platform.with_fleet(act)
    assert first == again
