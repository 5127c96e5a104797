"""Decides over answers: a person where the fleet's check asks for one, a command's exit elsewhere.

A verdict is written once and where it is still waited for; a person may think again about an own
kind of decision, never about what a rule has said.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from fleets.domain.answer_check import Judgement, Verdict
from fleets.domain.errors import Conflict, InvalidInput
from fleets.live import publish
from fleets.live.channels import fleet_topic
from fleets.models import Fleet, Task
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import lock, recount

MAX_REASON_CHARS = 300
_DECISIONS = frozenset({Verdict.ACCEPTED, Verdict.REFUSED})
_WORDS = {Verdict.ACCEPTED: "accepted", Verdict.REFUSED: "refused"}


@transaction.atomic
def decide_answer(task: Task, *, verdict: Verdict, reason: str, actor: Actor) -> Task:
    """Accept or refuse the answer to a task; the same decision again changes nothing.

    Raises NotAllowed, InvalidInput (at `verdict` or `reason`), or Conflict where no person decides.
    """
    actor.must_be_operator("decide over an answer")
    if verdict not in _DECISIONS:
        raise InvalidInput.at("verdict", "Choose accepted or refused.")
    words = " ".join(reason.split())
    if len(words) > MAX_REASON_CHARS:
        raise InvalidInput.at("reason", f"At most {MAX_REASON_CHARS} characters fit.")
    fleet = lock(task.run.fleet_id)
    task = Task.objects.select_for_update(of=("self",)).select_related("run").get(pk=task.pk)
    is_open = task.verdict == Verdict.WAITING_PERSON
    if not is_open and task.verdict_by_id is None:
        raise Conflict("No person decides over this answer.", state=task.verdict)
    if (task.verdict, task.verdict_reason) == (verdict, words):
        return task
    before = {"verdict": task.verdict, "reason": task.verdict_reason}
    now = timezone.now()
    task.verdict, task.verdict_reason, task.verdict_at = verdict, words, now
    task.verdict_by = actor.user
    task.save(update_fields=["verdict", "verdict_reason", "verdict_at", "verdict_by"])
    audit.record(
        "answer.decide",
        actor=actor,
        object_type="task",
        object_id=f"{fleet.public_id}/{task.run.number}/{task.position}",
        before=before,
        after={"verdict": verdict, "reason": words},
        reason=words,
    )
    note(fleet, Line(verdict, f"answer {_WORDS[verdict]} by {actor.name}", task.agent))
    _tell(fleet, [task], now=now)
    return task


@transaction.atomic
def write_judgement(task_pk: int, judgement: Judgement, *, now: datetime) -> bool:
    """Write what a command came to, where that is still waited for; whether it was."""
    fleet = lock(Task.objects.values_list("run__fleet", flat=True).get(pk=task_pk))
    waiting = Task.objects.select_for_update(of=("self",)).filter(
        pk=task_pk, verdict=Verdict.WAITING_COMMAND
    )
    task = waiting.first()
    if task is None:
        return False
    task.verdict, task.verdict_reason, task.verdict_at = judgement.verdict, judgement.reason, now
    task.save(update_fields=["verdict", "verdict_reason", "verdict_at"])
    _tell(fleet, [task], now=now)
    return True


def _tell(fleet: Fleet, tasks: list[Task], *, now: datetime) -> None:
    recount(fleet, now=now)
    agents = [task.agent_id for task in tasks if task.agent_id is not None]
    publish(fleet_topic(fleet.public_id), {"kind": "agents", "ids": agents})
