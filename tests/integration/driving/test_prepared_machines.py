"""What machines get before the first turn: asked for at the create, written, set up once."""

import json
from typing import Any

from django.db.models import F

from emulator.server import EmulatorThread
from fleets.domain.machine_needs import MachineNeeds, needs_of
from fleets.models import Operation, Task
from fleets.services.actor import Actor
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_to_end

NEEDS: dict[str, Any] = {
    "image": "node:22",
    "git": {"url": "https://git.example.org/acme/app.git", "ref": "main"},
    "files": [{"path": "notes/style.md", "content": "Be brief."}],
    "setup": {"command": "cat notes/style.md && echo 'ready' > ready.txt"},
    "egress": {"domains": ["api.example.org"]},
}


def needs(**changes: Any) -> MachineNeeds:
    return needs_of({**NEEDS, **changes})


def journal(emulator: EmulatorThread, operation: str) -> list[dict[str, Any]]:
    found = control(emulator, "GET", f"journal?operation={operation}")["entries"]
    return [json.loads(entry["body"]) for entry in found]


def set_ups(emulator: EmulatorThread) -> list[str]:
    """The command lines that began a set-up."""
    lines = [body["command"] for body in journal(emulator, "runtime.command")]
    return [line for line in lines if "setup.begun" in line and "sh -c" in line]


def test_machines_get_what_the_definition_says_before_their_first_turn(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = drive_to_end(launch(actor, count=8, machine=needs()))
    assert fleet.state == "finished", fleet.stop_sentence
    machines = list(fleet.machines.all())
    assert all(machine.prepared_at for machine in machines)
    (create,) = journal(emulator, "fleets.create")
    assert create["defaults"]["environment"] == "node:22"
    assert create["defaults"]["git"] == NEEDS["git"]
    assert create["defaults"]["egressPolicy"] == {
        "mode": "strict", "allowDomains": ["api.example.org"], "includeImplicitDomains": True,
    }  # fmt: skip
    assert len(journal(emulator, "runtime.write")) == len(machines)
    assert len(set_ups(emulator)) == len(machines)
    early = Task.objects.filter(run__fleet=fleet, started_at__lt=F("agent__machine__prepared_at"))
    assert not early.exists()


def test_a_set_up_that_fails_is_said_per_machine_and_nothing_begins_there(
    emulator: EmulatorThread, actor: Actor
) -> None:
    setup = {"command": "echo 'no such package' && false"}
    fleet = drive_to_end(launch(actor, count=4, machine=needs(setup=setup)))
    assert fleet.state == "failed"
    (machine,) = fleet.machines.all()
    assert machine.preparation_error == "set-up command ended with 1: no such package"
    errors = set(Task.objects.filter(run__fleet=fleet).values_list("error", flat=True))
    assert errors == {f"Machine {machine} {machine.preparation_error}"}
    assert journal(emulator, "sessions.dispatch") == []
    launched = Operation.objects.get(fleet=fleet, kind="launch")
    assert "set-up command ended with 1" in launched.sentence


def test_a_command_whose_answer_was_lost_is_not_begun_again(
    emulator: EmulatorThread, actor: Actor
) -> None:
    lost = {"operation": "runtime.command", "kind": "truncate", "afterBytes": 0, "count": 1}
    control(emulator, "POST", "faults", lost)
    fleet = drive_to_end(launch(actor, count=4, machine=needs()))
    assert fleet.state == "finished", fleet.stop_sentence
    assert len(set_ups(emulator)) == fleet.machines.count()
    asked = [body["command"] for body in journal(emulator, "runtime.command")]
    assert "cat .fleetdash/setup.exit" in asked
