"""Machines without agents: made, prepared, there until their time is over, gone."""

import json
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.domain.errors import Conflict
from fleets.domain.machine_needs import needs_of
from fleets.domain.only_machines import OnlyMachines
from fleets.domain.status import Afterwards
from fleets.models import Fleet, Operation
from fleets.selectors.fleet_detail import fleet_head
from fleets.selectors.run_again import run_again_offer
from fleets.selectors.stop_sheet import stop_sheet
from fleets.services.actor import Actor
from fleets.services.afterwards import carry_out_due
from fleets.services.hold import hold_fleet
from fleets.services.stop_machines import stop_machines
from fleets.services.watch import watch_fleet
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_operation, drive_to_end

NEEDS: dict[str, Any] = {
    "template": "python-data",
    "git": {"url": "https://git.example.org/acme/app.git"},
    "files": [{"path": "notes/style.md", "content": "Be brief."}],
    "setup": {"command": "cat notes/style.md"},
    "secrets": ["GITHUB_TOKEN"],
    "egress": {"domains": ["api.example.org"], "includeImplicit": False},
}


def bare(actor: Actor, **changes: object) -> Fleet:
    """Two workers and a coordinator for an hour, unless said otherwise."""
    asked: dict[str, object] = {
        "count": 0,
        "prompt": "",
        "only_machines": OnlyMachines(2, has_coordinator=True),
        "after_delay_s": 3_600,
        **changes,
    }
    return launch(actor, **asked)  # type: ignore[arg-type]


def keep_secret(emulator: EmulatorThread, name: str) -> None:
    """A secret of the account, as its owner stores it on the platform."""
    config = emulator.config
    answer = httpx.post(
        f"{emulator.sandbox_url}/v1/secrets",
        json={"name": name, "value": "hidden"},
        headers={"Authorization": f"Bearer {config.account_key}"},
        verify=False,
    )
    answer.raise_for_status()


def created(emulator: EmulatorThread) -> dict[str, Any]:
    (entry,) = control(emulator, "GET", "journal?operation=fleets.create")["entries"]
    body: dict[str, Any] = json.loads(entry["body"])
    return body


def test_machines_are_made_and_prepared_and_then_the_fleet_runs(
    emulator: EmulatorThread, actor: Actor
) -> None:
    keep_secret(emulator, "GITHUB_TOKEN")
    fleet = drive_to_end(bare(actor, machine=needs_of(NEEDS)))
    assert (fleet.state, fleet.agents_total, fleet.tasks_total) == ("running", 0, 0)
    machines = list(fleet.machines.all())
    assert [one.machine_id for one in machines] == ["coordinator", "worker-1", "worker-2"]
    assert all(one.prepared_at for one in machines)
    body = created(emulator)
    assert body["coordinator"]["machineId"] == "coordinator"
    assert [one["machineId"] for one in body["machines"]] == ["worker-1", "worker-2"]
    assert body["policy"]["maxMachines"] == 3
    asked = body["defaults"]
    assert "backend" not in asked
    assert (asked["publicTemplateId"], asked["secrets"]) == ("python-data", ["GITHUB_TOKEN"])
    assert asked["git"] == NEEDS["git"]
    assert asked["egressPolicy"]["includeImplicitDomains"] is False
    launched = Operation.objects.get(fleet=fleet, kind="launch")
    assert launched.sentence == "3 machines made."


def test_they_cost_until_their_time_is_over_and_then_they_go(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(bare(actor))
    head = fleet_head(fleet, now=timezone.now())
    assert head.countdown is not None
    assert (head.countdown.machines, head.countdown.act) == (3, Afterwards.DELETE)
    assert head.countdown.nusd_per_hour > 0
    due = fleet.cleanup_due_at
    assert due is not None
    assert carry_out_due(now=due - timedelta(seconds=1)) == 0
    assert carry_out_due(now=due) == 1
    drive_operation(Operation.objects.get(fleet=fleet, kind="delete"))
    fleet.refresh_from_db()
    assert fleet.state == "deleted"


def test_nothing_but_its_machines_can_be_stopped(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = drive_to_end(bare(actor, after=Afterwards.KEEP))
    sheet = stop_sheet(fleet)
    offered = {one.word: one.refusal for one in sheet.strengths}
    assert offered["hold"] == "It has no agents whose turns could be held back."
    assert (sheet.preselected, offered["stop_machines"]) == ("stop_machines", "")
    with pytest.raises(Conflict, match="no agents"):
        hold_fleet(fleet, actor=actor, reason="wait")
    assert run_again_offer(fleet).refusal.startswith("It has machines only")
    drive_operation(stop_machines(fleet, actor=actor, reason="done with them"))
    fleet.refresh_from_db()
    watch_fleet(fleet, now=timezone.now())
    fleet.refresh_from_db()
    assert (fleet.state, fleet.machines_running) == ("finished", 0)
    assert fleet_head(fleet, now=timezone.now()).sentence.endswith("no machine runs any more.")


def test_a_fleet_of_which_no_machine_came_up_has_failed(
    emulator: EmulatorThread, actor: Actor
) -> None:
    refused = {"operation": "fleets.create", "kind": "error", "status": 403, "count": 1}
    control(emulator, "POST", "faults", refused)
    fleet = drive_to_end(bare(actor))
    assert fleet.state == "failed"
    assert fleet.cleanup_due_at is None
