"""A stop holds against agents that go on working and against requests that were under way."""

import time
from typing import Any

from emulator.server import EmulatorThread
from fleets.models import Fleet, Turn
from fleets.services.actor import Actor
from fleets.services.cancel import cancel_fleet
from fleets.services.cut_off import cut_off_fleet
from tests.integration.chaos.books import assert_the_books_agree
from tests.integration.chaos.waiting import eventually, wait_for_end
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_once, drive_operation, drive_until
from tests.support.worker import Workers

TOLD_WITHIN_S = 2.0


def test_from_two_seconds_after_a_cut_off_only_calls_in_flight_are_charged(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet, clicked_ms = cut_off_in_time(emulator, actor)
    over = time.monotonic() + 5
    while time.monotonic() < over:
        drive_once()
        time.sleep(0.05)
    since_ms = clicked_ms + int(TOLD_WITHIN_S * 1000)
    charged = charges(emulator, fleet, since_ms=since_ms)
    assert [entry for entry in charged if entry["kind"] != "settle"] == []
    assert [entry for entry in charged if entry["heldMs"] > since_ms] == []


def cut_off_in_time(
    emulator: EmulatorThread, actor: Actor, *, most_tries: int = 4
) -> tuple[Fleet, int]:
    """A fleet at work that is cut off; when on the platform's clock that was ordered.

    A machine with other things to do may stop this process for seconds: such a try says nothing.
    """
    prompt = "[[ok]] [[calls 50]] [[slow 60]] Part {index}."
    told_s: list[float] = []
    while not told_s or (told_s[-1] > TOLD_WITHIN_S and len(told_s) < most_tries):
        fleet = launch(actor, key=f"cut-{len(told_s)}", count=4, at_once=4, prompt=prompt)
        drive_until(lambda it=fleet: running_of(it, 4))  # type: ignore[misc]
        drive_until(lambda it=fleet: len(settled(emulator, it, since_ms=0)) >= 4)  # type: ignore[misc]
        clicked_ms = control(emulator, "GET", "state")["nowMs"]
        operation = drive_operation(cut_off_fleet(fleet, actor=actor, reason="too dear"))
        assert operation.confirmed_at is not None
        told_s.append((operation.confirmed_at - operation.requested_at).total_seconds())
    assert told_s[-1] <= TOLD_WITHIN_S, told_s
    return fleet, clicked_ms


def running_of(fleet: Fleet, number: int) -> bool:
    return Turn.objects.filter(run__fleet=fleet, state="running").count() == number


def settled(emulator: EmulatorThread, fleet: Fleet, *, since_ms: int) -> list[dict[str, Any]]:
    entries = charges(emulator, fleet, since_ms=since_ms)
    return [entry for entry in entries if entry["kind"] == "settle"]


def charges(emulator: EmulatorThread, fleet: Fleet, *, since_ms: int) -> list[dict[str, Any]]:
    """What was charged to the fleet's key at or after `since_ms`."""
    fleet.refresh_from_db()
    path = f"ledger?keyId={fleet.key_id}&since={since_ms}"
    entries = control(emulator, "GET", path)["entries"]
    return [
        entry
        for entry in entries
        if entry["kind"] in {"settle", "compute"} and entry["amountNusd"] > 0
    ]


def test_a_dispatch_that_was_under_way_when_its_fleet_was_cancelled_is_found_and_stopped(
    worker: Workers, emulator: EmulatorThread, actor: Actor
) -> None:
    hold = {"operation": "sessions.dispatch", "kind": "hold_until_released", "when": "before"}
    control(emulator, "POST", "faults", {**hold, "count": 1})
    fleet = launch(actor, count=1, prompt="[[ok]] [[slow 500]] Part {index}.")
    eventually(lambda: bool(control(emulator, "GET", "held")["held"]), "nothing was sent")
    operation = cancel_fleet(fleet, actor=actor, reason="enough", only_this=True)
    node = operation.nodes.get(kind="agent")

    def was_asked() -> bool:
        node.refresh_from_db()
        return node.acknowledged_at is not None

    eventually(was_asked, "the session was not asked to stop")
    time.sleep(1.0)
    control(emulator, "POST", "release", {})
    wait_for_end(operation)

    assert operation.state == "done", operation.sentence
    node.refresh_from_db()
    assert (node.state, node.revived) == ("stopped", 1)
    turn = Turn.objects.get()
    assert (turn.outcome, turn.finished_before_stop) == ("cancelled", False)
    assert_the_books_agree(emulator, fleet)
