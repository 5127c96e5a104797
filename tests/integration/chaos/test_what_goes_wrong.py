"""Turns that never end, machines that vanish, secrets that nobody can open: the run ends truly."""

from datetime import timedelta
from typing import Any

import httpx
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.models import Connection, Fleet, Operation, Run, SealedSecret, Task, Turn
from fleets.services.actor import Actor
from fleets.services.cut_off import cut_off_fleet
from fleets.services.watch import watch_fleet
from tests.integration.driving.launching import launch
from tests.support.driver import (
    control,
    drive_once,
    drive_operation,
    drive_to_end,
    drive_until,
)

SLOW = "[[ok]] [[slow 500]] Part {index}."
UNREADABLE = SealedSecret("no key of the ring opens this")


def running(fleet: Fleet, number: int) -> bool:
    return Turn.objects.filter(run__fleet=fleet, state="running").count() == number


def ask_platform(emulator: EmulatorThread, method: str, path: str) -> Any:
    key = {"Authorization": f"Bearer {emulator.config.account_key}"}
    response = httpx.request(method, f"{emulator.sandbox_url}{path}", headers=key, verify=False)
    response.raise_for_status()
    return response.json()


def test_a_turn_past_its_time_is_interrupted_and_ends_timed_out(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=1, prompt=SLOW)
    drive_until(lambda: running(fleet, 1))
    long_ago = timezone.now() - timedelta(seconds=fleet.task_timeout_s + 60)
    Turn.objects.update(admitted_at=long_ago)
    drive_to_end(fleet)

    turn = Turn.objects.get()
    assert (turn.outcome, turn.task.state, fleet.tasks_timed_out) == ("timed_out", "timed_out", 1)
    assert turn.cost_nusd is not None
    (execution,) = control(emulator, "GET", "state")["executions"]
    assert execution["status"] == "cancelled"


def test_an_unanswered_turn_after_the_budget_stopped_the_run_ends_not_started(
    emulator: EmulatorThread, actor: Actor
) -> None:
    control(emulator, "POST", "faults", {"operation": "sessions.dispatch", "kind": "reset"})
    fleet = launch(actor, count=1)
    drive_until(lambda: Turn.objects.filter(state="dispatching").exists())
    Fleet.objects.update(stop_reason="budget")
    long_ago = timezone.now() - timedelta(minutes=2)
    Turn.objects.update(requested_at=long_ago, next_dispatch_at=long_ago)
    drive_to_end(fleet)

    task = Task.objects.get()
    assert (task.state, task.reason) == ("not_started", "budget")


def test_the_turns_of_a_machine_that_vanished_are_unknown_and_the_rest_fails(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=3, at_once=1, prompt=SLOW)
    drive_until(lambda: running(fleet, 1))
    ask_platform(emulator, "DELETE", f"/v1/sandboxes/{fleet.machines.get().sandbox_id}")
    drive_to_end(fleet)

    states = sorted(Task.objects.values_list("state", flat=True))
    assert states == ["failed", "failed", "unknown"]
    assert fleet.machines.get().gone_at is not None


def test_a_fleet_that_was_deleted_from_elsewhere_ends_and_is_deleted(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=2, at_once=1, prompt=SLOW)
    drive_until(lambda: running(fleet, 1))
    ask_platform(emulator, "DELETE", f"/v1/fleets/{fleet.public_id}")
    drive_to_end(fleet)
    watch_fleet(fleet, now=timezone.now())

    fleet.refresh_from_db()
    assert fleet.state == "deleted"
    assert "completed" not in set(Task.objects.values_list("state", flat=True))


def test_a_tick_that_breaks_comes_more_and_more_rarely_and_harms_no_other_run(
    emulator: EmulatorThread, actor: Actor
) -> None:
    broken = launch(actor, count=1, key="broken")
    drive_until(lambda: Fleet.objects.get(pk=broken.pk).created_on_platform_at is not None)
    key = Fleet.objects.get(pk=broken.pk).key_secret
    Fleet.objects.filter(pk=broken.pk).update(key_secret=UNREADABLE)
    drive_until(lambda: Run.objects.get(fleet=broken).failures == 2)
    run = Run.objects.get(fleet=broken)
    assert run.next_tick_at is not None
    assert run.next_tick_at > timezone.now() + timedelta(seconds=2)
    assert "an error of its own" in Fleet.objects.get(pk=broken.pk).last_error
    assert drive_to_end(launch(actor, count=1, key="sound")).state == "finished"

    Fleet.objects.filter(pk=broken.pk).update(key_secret=key)
    Run.objects.filter(pk=run.pk).update(next_tick_at=timezone.now())
    assert drive_to_end(broken).state == "finished"
    assert Run.objects.get(pk=run.pk).failures == 0


def test_an_operation_that_breaks_backs_off_and_ends_once_it_can(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launch(actor, count=1, prompt=SLOW)
    drive_until(lambda: running(fleet, 1))
    operation = cut_off_fleet(fleet, actor=actor, reason="dear")
    key = Connection.objects.get().api_key
    Connection.objects.update(api_key=UNREADABLE)
    for _ in range(20):
        drive_once()
    operation.refresh_from_db()
    assert (operation.ended_at, operation.failures) == (None, 1)
    assert "an error of its own" in operation.sentence

    Connection.objects.update(api_key=key)
    Operation.objects.filter(pk=operation.pk).update(next_attempt_at=timezone.now())
    assert drive_operation(operation).state == "done"
