"""Answers get their verdict with the end of their task; a command runs once, whatever dies."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.domain.answer_check import Verdict
from fleets.domain.answer_document import read_answer_check
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed
from fleets.domain.status import Role
from fleets.models import AuditEvent, Fleet, Task
from fleets.services.actor import Actor
from fleets.services.afterwards import carry_out_due
from fleets.services.answers import decide_answer
from fleets.services.checking import LOST_S, check_answers
from fleets.services.run_again import RunAgain, run_again
from tests.factories import UserFactory
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_to_end


def checked(actor: Actor, document: dict[str, Any], **changes: Any) -> Fleet:
    asked: dict[str, Any] = {"count": 2, "prompt": "[[ok]] Say {agent_id}.", **changes}
    return drive_to_end(launch(actor, answer=read_answer_check(document), **asked))


def command(text: str) -> dict[str, Any]:
    return {"check": {"kind": "command", "command": text}}


def verdicts(fleet: Fleet) -> Counter[str]:
    return Counter(Task.objects.filter(run__fleet=fleet).values_list("verdict", flat=True))


def commands(emulator: EmulatorThread) -> int:
    return len(control(emulator, "GET", "journal?operation=runtime.command")["entries"])


def test_a_pattern_decides_with_the_end_of_the_task_and_refused_ones_run_again(
    emulator: EmulatorThread, actor: Actor
) -> None:
    pattern = {"check": {"kind": "matches", "pattern": "agent-1"}}
    fleet = checked(actor, pattern)

    assert verdicts(fleet) == Counter({"accepted": 1, "refused": 1})
    assert (fleet.answers_accepted, fleet.answers_refused, fleet.tasks_completed) == (1, 1, 2)
    refused = Task.objects.get(verdict="refused")
    assert "does not match" in refused.verdict_reason
    again = run_again(fleet, RunAgain(not_completed=True), actor=actor, form_key="again-1")
    assert [task.agent_id for task in again.tasks.all()] == [refused.agent_id]


def test_a_person_decides_once_asked_and_may_think_again(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = checked(actor, {"check": {"kind": "person"}})
    assert fleet.answers_waiting == 2
    first, second = Task.objects.order_by("position")
    accepted = decide_answer(first, verdict=Verdict.ACCEPTED, reason="  fine ", actor=actor)
    decide_answer(first, verdict=Verdict.REFUSED, reason="no", actor=actor)
    decide_answer(first, verdict=Verdict.REFUSED, reason="no", actor=actor)

    fleet.refresh_from_db()
    assert (accepted.verdict_reason, fleet.answers_refused, fleet.answers_waiting) == ("fine", 1, 1)
    audit = AuditEvent.objects.filter(act="answer.decide").order_by("pk")
    assert [event.after["verdict"] for event in audit] == ["accepted", "refused"]
    assert audit[1].before == {"verdict": "accepted", "reason": "fine"}
    with pytest.raises(InvalidInput):
        decide_answer(second, verdict=Verdict.UNCHECKED, reason="", actor=actor)
    viewer = Actor(user=UserFactory(role=Role.VIEWER), door="browser")
    with pytest.raises(NotAllowed):
        decide_answer(second, verdict=Verdict.ACCEPTED, reason="", actor=viewer)
    Task.objects.filter(pk=second.pk).update(verdict=Verdict.ACCEPTED)
    with pytest.raises(Conflict):
        decide_answer(second, verdict=Verdict.REFUSED, reason="", actor=actor)


def test_a_command_accepts_or_refuses_and_machines_wait_for_it(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = checked(actor, command("exit 3"), after_delay_s=0)
    assert verdicts(fleet) == Counter({"waiting_command": 2})
    assert carry_out_due(now=timezone.now()) == 0
    assert check_answers(now=timezone.now()) == 2
    assert check_answers(now=timezone.now()) == 0

    assert verdicts(fleet) == Counter({"refused": 2})
    assert commands(emulator) == 2
    assert Task.objects.filter(verdict_reason__startswith="The command exited 3").count() == 2
    fleet.refresh_from_db()
    assert (fleet.answers_refused, fleet.answers_waiting) == (2, 0)
    assert carry_out_due(now=timezone.now()) == 1


def test_a_command_whose_answer_is_lost_is_not_sent_twice(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = checked(actor, command("echo ok"))
    fault = {"operation": "runtime.command", "kind": "reset", "when": "after", "count": 1}
    control(emulator, "POST", "faults", fault)
    one, other = Task.objects.order_by("position")
    # Its sender died after writing that it sends it.
    long_ago = timezone.now() - timedelta(seconds=LOST_S + 1)
    Task.objects.filter(pk=other.pk).update(check_sent_at=long_ago)
    check_answers(now=timezone.now())
    check_answers(now=timezone.now())

    assert verdicts(fleet) == Counter({"unchecked": 2})
    assert commands(emulator) == 1
    one.refresh_from_db()
    other.refresh_from_db()
    assert "not sent twice" in one.verdict_reason
    assert "its answer is lost" in other.verdict_reason


def test_what_was_stopped_is_not_checked_any_more(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = checked(actor, command("echo ok"), count=1)
    Fleet.objects.filter(pk=fleet.pk).update(cancel_requested_at=timezone.now())
    assert check_answers(now=timezone.now()) == 0
    assert verdicts(fleet) == Counter({"unchecked": 1})
    assert commands(emulator) == 0
