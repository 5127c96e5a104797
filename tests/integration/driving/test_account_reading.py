"""Fleets that others made on the account: found, kept up to date, marked gone."""

import os
import signal
import subprocess
import sys

import pytest
from redis import Redis

from emulator.server import EmulatorThread
from fleets.models import Connection, Fleet, FleetEvent, Machine, Team, Turn
from fleets.services.account import read_account
from fleets.services.actor import Actor
from fleets.services.watch import watch_fleet
from tests.integration.driving.launching import CENT_NUSD
from tests.support.account import (
    at_platform,
    ledger,
    now,
    read_until,
    script_fleet,
    script_turn,
    spawning,
    stop_the_clock,
)
from tests.support.driver import control, drive_to_end
from tests.support.worker import ROOT, shared_environment

READ = """
import django; django.setup()
from fleets.models import Connection
from fleets.services.account import read_account
read_account(Connection.objects.get())
"""


@pytest.fixture
def connection(actor: Actor) -> Connection:
    """The account; whoever asks for it has people too."""
    return Connection.objects.get()


def test_a_fleet_made_by_a_script_is_listed_with_what_is_known_and_later_marked_gone(
    emulator: EmulatorThread, connection: Connection
) -> None:
    script_fleet(emulator, "agent-demo-1")
    read_account(connection)
    read_account(connection)

    fleet = Fleet.objects.get()
    assert (fleet.public_id, fleet.name, fleet.origin) == (
        "agent-demo-1",
        "agent-demo-1",
        "foreign",
    )
    assert (fleet.owner, fleet.team.slug) == (None, "found")
    assert (fleet.budget_is_known, fleet.budget_nusd) == (True, None)
    assert fleet.machines.get().sandbox_id.startswith("sandbox-")

    read_until(lambda: now(fleet).state == "running")
    read_until(
        lambda: at_platform(emulator, "DELETE", "/v1/fleets/agent-demo-1")["status"] == "deleted"
    )
    read_account(connection)
    read_account(connection)
    assert now(fleet).state == "deleted"
    assert FleetEvent.objects.filter(fleet=fleet, text__contains="from elsewhere").count() == 1


def test_its_sessions_are_read_with_the_account_key_and_those_a_note_names_bear_its_names(
    emulator: EmulatorThread, connection: Connection
) -> None:
    noted = {"schema": 1, "agents": [{"agentId": "writer", "sessionId": "s-1", "model": "gpt-4.1"}]}
    sandbox = script_fleet(emulator, "agent-demo-2", metadata={"fleetdash": noted})
    read_account(connection)
    fleet = Fleet.objects.get()
    read_until(lambda: now(fleet).state == "running")
    script_turn(emulator, sandbox, "s-1", "[[ok]] Write a line.")
    script_turn(emulator, sandbox, "nobody told of it", "[[ok]] Write another.")
    read_until(lambda: now(fleet).tasks_completed == 2)

    assert {agent.agent_id: agent.model for agent in fleet.agents.all()} == {
        "writer": "gpt-4.1",
        "nobody-told-of-it": "",
    }
    turn = Turn.objects.get(agent__agent_id="writer")
    assert turn.task.response
    assert turn.trace_id
    assert now(fleet).state == "finished"
    assert fleet.runs.get().next_tick_at is None


def test_what_an_agent_spawned_stands_below_it_with_its_money_to_the_nanodollar(
    emulator: EmulatorThread, connection: Connection, actor: Actor
) -> None:
    parent = spawning(actor, 2)
    children = Fleet.objects.filter(parent=parent)
    read_until(lambda: children.exclude(key_id="").count() == 2)
    drive_to_end(parent)
    stop_the_clock(emulator)
    read_account(connection)
    watch_fleet(now(parent), now=parent.created_at)

    keys = ledger(emulator)
    for fleet in [now(parent), *children]:
        key = keys[fleet.key_id]
        assert fleet.spent_nusd == key["spentNusd"]
        assert fleet.reserved_nusd == key["reservedNusd"]
        assert fleet.remaining_nusd == key["remainingNusd"]
    for child in children:
        assert keys[child.key_id]["parentKeyId"] == parent.key_id
        assert (child.origin, child.parent_agent) == ("spawned", "agent-2")
        assert (child.team_id, child.owner_id) == (parent.team_id, parent.owner_id)
        assert (child.depth, child.path, child.root_id) == (1, [parent.pk, child.pk], parent.pk)
        assert child.budget_nusd == 12 * CENT_NUSD
    assert parent.tree_fleets == 3
    assert parent.tree_machines == sum(fleet.machines_running for fleet in [parent, *children])


def test_a_reader_that_is_killed_loses_nothing_and_two_at_once_write_each_fleet_once(
    emulator: EmulatorThread, connection: Connection, redis_client: Redis
) -> None:
    for number in range(1, 7):
        script_fleet(emulator, f"agent-demo-{number}")
    hold = {"operation": "fleets.get", "match": "agent-demo-4", "kind": "hold_until_released"}
    control(emulator, "POST", "faults", {**hold, "when": "after"})
    with subprocess.Popen(
        [sys.executable, "-c", READ], cwd=ROOT, env=shared_environment()
    ) as reader:
        fourth = {"operation": "fleets.get", "count": 4, "timeoutMs": 60_000}
        control(emulator, "POST", "wait-for", fourth)
        os.kill(reader.pid, signal.SIGKILL)
    redis_client.flushdb()
    control(emulator, "POST", "release", {})
    control(emulator, "DELETE", "faults")

    other = subprocess.Popen([sys.executable, "-c", READ], cwd=ROOT, env=shared_environment())
    read_account(connection)
    assert other.wait(timeout=60) == 0

    assert sorted(Fleet.objects.values_list("public_id", flat=True)) == [
        f"agent-demo-{number}" for number in range(1, 7)
    ]
    assert Machine.objects.count() == 6


def test_the_fleets_of_an_account_go_to_the_team_that_was_chosen_for_them(
    emulator: EmulatorThread, connection: Connection
) -> None:
    connection.default_team = Team.objects.get(slug="main")
    connection.save()
    script_fleet(emulator, "agent-demo-1")
    read_account(connection)

    assert Fleet.objects.get().team.slug == "main"
