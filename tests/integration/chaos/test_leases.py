"""Who has lost its lease writes nothing; a late message revives nothing; two orders are one."""

import threading
from collections.abc import Callable
from datetime import date

from django.db import connection, connections
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.models import Fleet, Operation, Run, Turn
from fleets.services.actor import Actor
from fleets.services.alone import alone
from fleets.services.cancel import cancel_fleet
from fleets.services.cut_off import cut_off_fleet
from fleets.services.driving.tick import tick_run
from fleets.services.event_store import ensure_partitions
from fleets.services.performing import perform_operation
from tests.factories import UserFactory
from tests.integration.chaos.waiting import eventually
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_operation, drive_until

SLOW = "[[ok]] [[slow 600]] Part {index}."


def beside(work: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        try:
            work()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def hold(emulator: EmulatorThread, operation: str) -> None:
    fault = {"operation": operation, "kind": "hold_until_released", "when": "after", "count": 1}
    control(emulator, "POST", "faults", fault)


def wait_until_held(emulator: EmulatorThread) -> None:
    eventually(lambda: bool(control(emulator, "GET", "held")["held"]), "nothing is held")


def running_fleet(actor: Actor, *, count: int = 1) -> Fleet:
    fleet = launch(actor, count=count, at_once=count, prompt=SLOW)
    drive_until(lambda: Turn.objects.filter(state="running").count() == count)
    return fleet


def test_a_second_tick_does_not_begin_while_the_first_works(
    emulator: EmulatorThread, actor: Actor
) -> None:
    run = running_fleet(actor).runs.get()
    hold(emulator, "sessions.list")
    drive_until(lambda: Run.objects.filter(pk=run.pk, next_tick_at__lte=timezone.now()).exists())
    first = beside(lambda: tick_run(run.pk, owner="first"))
    wait_until_held(emulator)

    assert tick_run(run.pk, owner="second") is False

    control(emulator, "POST", "release", {})
    first.join()


def test_a_tick_that_lost_its_lease_writes_nothing(emulator: EmulatorThread, actor: Actor) -> None:
    run = running_fleet(actor).runs.get()
    control(emulator, "POST", "clock", {"speed": 3000})
    eventually(lambda: has_ended(emulator), "the turn does not end")
    hold(emulator, "sessions.list")
    Run.objects.filter(pk=run.pk).update(next_tick_at=timezone.now())
    first = beside(lambda: tick_run(run.pk, owner="first"))
    wait_until_held(emulator)
    Run.objects.filter(pk=run.pk).update(lease_owner="second")
    control(emulator, "POST", "release", {})
    first.join()

    assert Turn.objects.get().state == "running"
    run.refresh_from_db()
    assert run.lease_owner == "second"


def has_ended(emulator: EmulatorThread) -> bool:
    executions = control(emulator, "GET", "state")["executions"]
    return all(one["status"] != "running" for one in executions)


def test_an_operation_that_was_taken_over_is_not_ended_by_its_first_worker(
    emulator: EmulatorThread, actor: Actor
) -> None:
    operation = cut_off_fleet(running_fleet(actor), actor=actor, reason="dear")
    hold(emulator, "keys.patch")
    first = beside(lambda: perform_operation(operation.public_id, owner="first"))
    wait_until_held(emulator)
    Operation.objects.filter(pk=operation.pk).update(lease_owner="second")
    control(emulator, "POST", "release", {})
    first.join()

    operation.refresh_from_db()
    assert operation.ended_at is None
    assert operation.fleet.cut_off_confirmed_at is None
    Operation.objects.filter(pk=operation.pk).update(lease_owner="", lease_until=None)
    assert drive_operation(operation).state == "done"


def test_a_late_message_does_not_revive_an_ended_operation(
    emulator: EmulatorThread, actor: Actor
) -> None:
    operation = drive_operation(cut_off_fleet(running_fleet(actor), actor=actor, reason="dear"))
    asked = len(control(emulator, "GET", "journal?operation=keys.patch")["entries"])
    before = Operation.objects.filter(pk=operation.pk).values().get()

    assert perform_operation(operation.public_id, owner="late") is False

    assert Operation.objects.filter(pk=operation.pk).values().get() == before
    assert len(control(emulator, "GET", "journal?operation=keys.patch")["entries"]) == asked


def test_two_people_who_cancel_at_once_order_one_operation(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = running_fleet(actor)
    other = Actor(user=UserFactory(role="operator"), door="browser")
    ordered: list[int] = []
    both = [
        beside(lambda who=who: ordered.append(order_cancel(fleet, who)))  # type: ignore[misc]
        for who in (actor, other)
    ]
    for one in both:
        one.join()

    assert len(ordered) == 2
    assert len(set(ordered)) == 1
    assert drive_operation(Operation.objects.get(pk=ordered[0])).state == "done"


def order_cancel(fleet: Fleet, actor: Actor) -> int:
    return cancel_fleet(fleet, actor=actor, reason="enough").pk


def test_what_is_done_alone_is_not_begun_by_a_second_process(transactional_db: None) -> None:
    found: list[bool] = []

    def look() -> None:
        with alone("watching") as is_alone:
            found.append(is_alone)

    with alone("watching") as is_alone:
        beside(look).join()
        assert is_alone
    beside(look).join()
    assert found == [False, True]


def test_frames_that_came_before_their_partition_do_not_stop_the_housekeeping(
    transactional_db: None,
) -> None:
    day = date(2031, 3, 1)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO fleets_turnevent (turn_day, fleet_id, turn_id, session_id, execution_id,"
            " event_id, type, received_at, data) VALUES (%s, 1, 1, 's', 'e', 1, 't', now(), '{}')",
            [day],
        )
    try:
        assert ensure_partitions(day, days_ahead=1) == ["fleets_turnevent_20310302"]
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE fleets_turnevent_20310302")
            cursor.execute("DELETE FROM fleets_turnevent WHERE turn_day = %s", [day])
