"""Runs a fleet again: over all its agents, some, or those without an answer.

Sessions go on where they are, or begin afresh on request. What an earlier stop left on the fleet is
taken back: it runs again, and the countdown of its machines starts anew after this run.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from fleets import dispatch
from fleets.domain import ids
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed, OverLimit
from fleets.domain.money import show_limit
from fleets.domain.numbers import counted
from fleets.domain.pool import POOL_FIELDS
from fleets.domain.spec import fields_of, read_prompt
from fleets.domain.status import Pattern, TaskState
from fleets.domain.template import LAUNCH_FIELDS, parse_template
from fleets.live import publish
from fleets.models import Agent, Fleet, Run, Task
from fleets.selectors.run_again import chosen_agents, left_out, run_again_refusal
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.fleet_events import Line, note
from fleets.services.fleet_state import lock, newest_run, recount
from fleets.services.run_list_again import choose_tasks, write_list_again


@dataclass(frozen=True, slots=True)
class RunAgain:
    """What is ordered. `message` "": each agent its own task again. `only` empty: all of them; it
    names agents, in a pool tasks."""

    message: str = ""
    only: tuple[str, ...] = ()
    not_completed: bool = False
    is_fresh: bool = False


def run_again(fleet: Fleet, what: RunAgain, *, actor: Actor, form_key: str) -> Run:
    """Order another run; the same form again returns the same run.

    Raises NotAllowed, OverLimit, InvalidInput (at `prompt` or `only`), or Conflict with the
    sentence why not now.
    """
    before = _ordered(form_key)
    if before is not None:
        return before
    _check_person(fleet, actor)
    is_pool = fleet.pattern == Pattern.POOL
    fields = POOL_FIELDS if is_pool else LAUNCH_FIELDS
    typed = what.message.strip()
    message = read_prompt(typed, fields=fields) if typed else ""
    try:
        with transaction.atomic():
            return _write(fleet, what, message, actor=actor, form_key=form_key)
    except IntegrityError:
        # Two clicks with one form: the first of them ordered.
        twin = _ordered(form_key)
        if twin is None:
            raise
        return twin


def _ordered(form_key: str) -> Run | None:
    return Run.objects.filter(form_key=form_key).select_related("fleet").first()


def _check_person(fleet: Fleet, actor: Actor) -> None:
    actor.must_be_operator("run a fleet again")
    user = actor.user
    if user is None or user.is_admin:
        return
    if fleet.budget_nusd is None:
        raise NotAllowed(
            "A fleet without a budget is run by admins only: nothing would stop its spending.",
            who_can="an admin",
        )
    limit, left = user.spend_limit_nusd, fleet.remaining_nusd
    left = fleet.budget_nusd if left is None else left
    if limit is not None and left > limit:
        raise OverLimit(
            f"This fleet may still spend {show_limit(left)}, over your limit of"
            f" {show_limit(limit)} for one launch. Ask an admin.",
            limit=show_limit(limit),
            asked=show_limit(left),
            who_can="an admin",
        )


def _write(fleet: Fleet, what: RunAgain, message: str, *, actor: Actor, form_key: str) -> Run:
    now = timezone.now()
    fleet = lock(fleet.pk)
    refusal = run_again_refusal(fleet)
    if refusal:
        raise Conflict(refusal, state=fleet.state)
    is_pool = fleet.pattern == Pattern.POOL
    tasks = _choose_tasks(fleet, what) if is_pool else []
    agents = [] if is_pool else _choose(fleet, what)
    before = newest_run(fleet)
    run = Run.objects.create(
        fleet=fleet,
        number=(before.number if before else 0) + 1,
        started_by=actor.user,
        at_once=fleet.at_once,
        message=message,
        is_fresh=what.is_fresh,
        form_key=form_key,
        created_at=now,
        next_tick_at=now,
    )
    if is_pool:
        agents = write_list_again(run, tasks, now=now)
    else:
        _write_tasks(run, agents, now=now)
    _set_going(fleet)
    recount(fleet, now=now)
    audit.record(
        "fleet.run_again",
        actor=actor,
        object_type="fleet",
        object_id=fleet.public_id,
        after={
            "run": run.number,
            "agents": len(agents),
            "tasks": len(tasks) or len(agents),
            "fresh": run.is_fresh,
        },
    )
    sessions = "in new sessions" if run.is_fresh else "sessions go on"
    what_runs = counted(len(tasks), "task") if is_pool else counted(len(agents), "agent")
    words = f"run {run.number} by {actor.name}: {what_runs}, {sessions}"
    note(fleet, Line("launch", words))
    publish(f"fleet:{fleet.public_id}", {"kind": "agents", "ids": [one.pk for one in agents]})
    dispatch.run_due(run.pk)
    return run


def _choose_tasks(fleet: Fleet, what: RunAgain) -> list[Task]:
    return choose_tasks(fleet, only=what.only, not_completed=what.not_completed)


def _choose(fleet: Fleet, what: RunAgain) -> list[Agent]:
    wrong = left_out(fleet, what.only) if what.only else ""
    if wrong:
        raise InvalidInput.at("only", wrong)
    chosen = chosen_agents(fleet, only=what.only, not_completed=what.not_completed)
    agents = list(chosen.select_for_update(of=("self",)))
    if not agents:
        raise Conflict("Every agent has completed: nothing to run again.", state=fleet.state)
    return agents


def _write_tasks(run: Run, agents: list[Agent], *, now: datetime) -> None:
    own = {} if run.message else _first_prompts(run.fleet)
    template = parse_template(run.message, place="prompt")
    tasks = []
    for agent in agents:
        values = fields_of(agent.agent_id, index=agent.position)
        prompt = template.fill(values) if run.message else own.get(agent.pk, run.fleet.prompt)
        tasks.append(Task(run=run, agent=agent, position=agent.position, prompt=prompt))
        agent.state, agent.state_reason = TaskState.QUEUED, ""
        agent.last_event, agent.last_event_at = f"waits for run {run.number}", now
        if run.is_fresh:
            public_id = run.fleet.public_id
            agent.session_id = ids.session_id(public_id, agent.agent_id, run=run.number)
    Task.objects.bulk_create(tasks)
    fields = ["state", "state_reason", "last_event", "last_event_at", "session_id"]
    Agent.objects.bulk_update(agents, fields, batch_size=500)


def _first_prompts(fleet: Fleet) -> dict[int, str]:
    """What each agent was given when the fleet was launched: its own task."""
    first = Task.objects.filter(run__fleet=fleet, run__number=1)
    return dict(first.values_list("agent_id", "prompt"))


def _set_going(fleet: Fleet) -> None:
    """Take back what the end of the last run left. The caller recounts, which saves it."""
    fleet.stop_reason = fleet.stop_sentence = ""
    fleet.cancel_requested_at = fleet.cancel_confirmed_at = None
    fleet.work_ended_at = fleet.cleanup_due_at = None
