"""Reading fleets from the command line."""

import pytest

from fleets.domain.status import FleetState, Role
from tests.factories import AgentFactory, FleetFactory, MachineFactory, UserFactory
from tests.integration.commands.calling import fleet

pytestmark = pytest.mark.django_db


@pytest.fixture
def only_admin() -> None:
    UserFactory(username="night-admin", role=Role.ADMIN)


def test_a_list_has_every_living_fleet_with_money_as_strings(only_admin: None) -> None:
    FleetFactory(public_id="fleet-00000000000a", name="a", spent_nusd=14_123_456)
    FleetFactory(public_id="fleet-00000000000b", name="b", spent_nusd=None, budget_nusd=None)

    said = fleet("list", "--json")

    assert said.code == 0
    rows = {row["name"]: row for row in said.document["fleets"]}
    assert rows["a"]["spentUsd"] == "0.014123456"
    assert rows["a"]["budgetUsd"] == "3.00"
    assert rows["b"]["spentUsd"] is None
    assert {"fleetId", "name", "state"} <= set(rows["a"])


def test_deleted_fleets_are_listed_only_when_asked_for(only_admin: None) -> None:
    row = FleetFactory(name="gone", state=FleetState.DELETED)
    row.deleted_at = row.created_at
    row.save()

    assert fleet("list", "--json").document == {"fleets": []}
    assert len(fleet("list", "--all", "--json").document["fleets"]) == 1


def test_an_empty_list_says_how_to_begin(only_admin: None) -> None:
    said = fleet("list")

    assert said.out == ""
    assert "manage.py fleet run" in said.err


def test_show_finds_by_id_and_by_name(only_admin: None) -> None:
    row = FleetFactory(name="night", spent_nusd=None)
    AgentFactory(machine=MachineFactory(fleet=row), agent_id="agent-1")

    by_name, by_id = fleet("show", "night", "--json"), fleet("show", row.public_id, "--json")

    assert by_name.document["agents"] == by_id.document["agents"]
    assert by_id.document["fleetId"] == row.public_id
    assert by_id.document["spend"]["spentUsd"] is None
    assert by_id.document["agents"][0]["costUsd"] is None


def test_a_terminal_is_not_driven_by_what_an_agent_wrote(only_admin: None) -> None:
    row = FleetFactory(name="night")
    agent = AgentFactory(machine=MachineFactory(fleet=row))
    run = row.runs.create(number=1, created_at=row.created_at)
    run.tasks.create(agent=agent, position=1, prompt="x", response="\x1b[2Jall gone")

    said = fleet("show", "night")

    assert "\x1b" not in said.out
    assert "[2Jall gone" in said.out


@pytest.mark.parametrize("act", ["show", "watch", "cancel", "cut", "delete"])
def test_an_unknown_fleet_is_two(only_admin: None, act: str) -> None:
    said = fleet(act, "fleet-ffffffffffff")

    assert said.code == 2
    assert f"fleet {act}: ID: " in said.err


def test_two_fleets_of_one_name_must_be_told_apart_by_id(only_admin: None) -> None:
    FleetFactory(name="twin")
    FleetFactory(name="twin")

    said = fleet("show", "twin")

    assert said.code == 2
    assert "Several fleets" in said.err


def test_with_two_admins_somebody_must_be_named(only_admin: None) -> None:
    UserFactory(username="day-admin", role=Role.ADMIN)

    assert fleet("list").code == 2
    assert fleet("list", "--as", "day-admin").code == 0


def test_an_admin_of_the_data_set_does_not_count(only_admin: None) -> None:
    UserFactory(username="admin2", role=Role.ADMIN, email="admin2@demo.invalid")

    assert fleet("list").code == 0


def test_a_stranger_sees_nothing(only_admin: None) -> None:
    UserFactory(username="passer-by", role=Role.STRANGER)

    said = fleet("list", "--as", "passer-by")

    assert said.code == 2
    assert "no role" in said.err
