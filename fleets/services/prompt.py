"""Sends one agent another prompt: a new task in its session, and a run of the fleet if none runs.

The conversation goes on. A run that is still under way takes the task in; otherwise the fleet gets
a new run over this agent alone, and its end of work and clean-up wait until that has ended.
"""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from fleets import dispatch
from fleets.domain.credentials import find_credentials
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed
from fleets.domain.spec_fields import MAX_PROMPT_BYTES
from fleets.domain.status import Pattern, TaskState
from fleets.live import publish
from fleets.live.channels import fleet_topic
from fleets.models import Agent, Fleet, Run, Task
from fleets.selectors.prompting import NO_BUDGET, prompt_refusal
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import lock, newest_run, recount


def prompt_agent(agent: Agent, *, text: str, actor: Actor, form_key: str) -> Task:
    """Order a turn of the agent; the same form again returns the same task.

    Raises NotAllowed, InvalidInput (at `prompt`), or Conflict with the sentence why not now.
    """
    before = Task.objects.filter(form_key=form_key, agent=agent).first()
    if before is not None:
        return before
    actor.must_be_operator("send a prompt")
    if agent.fleet.budget_nusd is None and actor.user is not None and not actor.user.is_admin:
        raise NotAllowed(NO_BUDGET, who_can="an admin")
    prompt = _checked(text)
    try:
        with transaction.atomic():
            return _write(agent, prompt, actor=actor, form_key=form_key)
    except IntegrityError:
        # Two clicks with one form: the first of them ordered.
        twin = Task.objects.filter(form_key=form_key, agent=agent).first()
        if twin is None:
            raise
        return twin


def _checked(text: str) -> str:
    prompt = text.replace("\r\n", "\n").strip()
    if not prompt:
        raise InvalidInput.at("prompt", "The prompt is missing: what should the agent do?")
    if "\0" in prompt or any("\ud800" <= sign <= "\udfff" for sign in prompt):
        raise InvalidInput.at("prompt", "The prompt has characters in it that are not text.")
    size = len(prompt.encode())
    if size > MAX_PROMPT_BYTES:
        raise InvalidInput.at(
            "prompt", f"The prompt has {size:,} bytes; at most {MAX_PROMPT_BYTES:,} fit (64 KiB)."
        )
    for find in find_credentials(prompt)[:1]:
        raise InvalidInput.at(
            "prompt",
            f"Line {find.line}, column {find.column}: {find.form}. The agent would see and may"
            " repeat it. Name a secret of the machine instead of writing its value.",
        )
    return prompt


def _write(agent: Agent, prompt: str, *, actor: Actor, form_key: str) -> Task:
    now = timezone.now()
    fleet = lock(agent.fleet_id)
    agent = Agent.objects.select_for_update(of=("self",)).select_related("machine").get(pk=agent.pk)
    refusal = prompt_refusal(fleet, agent)
    if refusal:
        raise Conflict(refusal, state=agent.state)
    run = _open_run(fleet, actor=actor, now=now)
    task = Task.objects.create(
        run=run,
        agent=agent,
        position=_place(run, agent),
        prompt=prompt,
        state=TaskState.QUEUED,
        form_key=form_key,
    )
    agent.state, agent.state_reason = TaskState.QUEUED, ""
    agent.last_event, agent.last_event_at = f"prompted by {actor.name}", now
    agent.save(update_fields=["state", "state_reason", "last_event", "last_event_at"])
    recount(fleet, now=now)
    audit.record(
        "agent.prompt",
        actor=actor,
        object_type="agent",
        object_id=f"{fleet.public_id}/{agent.agent_id}",
        after={"run": run.number, "task": task.position, "prompt_bytes": len(prompt.encode())},
    )
    note(fleet, Line("prompt", f"was prompted by {actor.name}", agent))
    publish(fleet_topic(fleet.public_id), {"kind": "agents", "ids": [agent.pk]})
    dispatch.run_due(run.pk)
    return task


def _place(run: Run, agent: Agent) -> int:
    """The agent's own place where it is free, so that answers keep their order over runs.

    In a pool places are those of the list, in every run: a prompt is a place behind them all.
    """
    taken = Task.objects.filter(run=run)
    if run.fleet.pattern == Pattern.POOL:
        taken = Task.objects.filter(run__fleet=run.fleet)
    elif not taken.filter(position=agent.position).exists():
        return agent.position
    return int(taken.aggregate(last=Max("position"))["last"] or 0) + 1


def _open_run(fleet: Fleet, *, actor: Actor, now: datetime) -> Run:
    """The fleet's open run, or a new one; what an earlier stop left on the fleet is taken back."""
    run = newest_run(fleet)
    if run is not None and run.ended_at is None:
        Run.objects.filter(pk=run.pk, lease_until__isnull=True).update(next_tick_at=now)
        return run
    fleet.stop_reason = fleet.stop_sentence = ""
    fleet.cancel_requested_at = fleet.cancel_confirmed_at = None
    fleet.work_ended_at = fleet.cleanup_due_at = None
    return Run.objects.create(
        fleet=fleet,
        number=(run.number if run else 0) + 1,
        started_by=actor.user,
        created_at=now,
        started_at=now,
        next_tick_at=now,
    )
