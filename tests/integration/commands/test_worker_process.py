"""The worker of the tests does real work, and another takes over where it was killed."""

import time

from emulator.server import EmulatorThread
from fleets.domain.spec import LaunchSpec
from fleets.models import Fleet
from fleets.services.actor import Actor
from fleets.services.launch import launch_fleet
from tests.support.worker import Workers

PATIENCE_S = 120.0


def wait_for_state(fleet: Fleet, state: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while fleet.state != state:
        assert time.monotonic() < deadline, f"still {fleet.state}"
        time.sleep(0.05)
        fleet.refresh_from_db()


def test_a_fleet_finishes_although_its_worker_is_killed(
    worker: Workers, emulator: EmulatorThread, actor: Actor
) -> None:
    spec = LaunchSpec(name="night", team_slug="main", count=6, prompt="[[ok]] Review {index}.")
    fleet = launch_fleet(spec, actor=actor, idempotency_key="night")
    wait_for_state(fleet, "running")
    worker.worker.kill()
    assert not worker.worker.is_running
    worker.worker.start()

    wait_for_state(fleet, "finished")

    assert fleet.tasks_completed == 6
