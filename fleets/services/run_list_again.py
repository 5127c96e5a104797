"""Another run over the list of a pool: all of it, some tasks, or those without an answer.

A conversation lives on the machine where it was: a task that goes on with its own is its former
agent's, where that machine still runs. All others are nobody's again.
"""

from collections.abc import Collection
from datetime import datetime

from fleets.domain import ids
from fleets.domain.errors import Conflict, InvalidInput
from fleets.domain.pool import POOL_FIELDS, PoolTask, fields_of_task
from fleets.domain.status import TaskState
from fleets.domain.template import parse_template
from fleets.models import Agent, Fleet, Run, Task
from fleets.selectors.run_again import ready_agents
from fleets.selectors.run_list_again import chosen_tasks, unknown_tasks
from fleets.services.row_updates import update_rows

_BATCH = 1_000


def choose_tasks(fleet: Fleet, *, only: Collection[str], not_completed: bool) -> list[Task]:
    """The tasks to run again, each as it stood last. Raises InvalidInput at `only`, or Conflict."""
    wrong = unknown_tasks(fleet, only) if only else ""
    if wrong:
        raise InvalidInput.at("only", wrong)
    tasks = list(chosen_tasks(fleet, only=only, not_completed=not_completed))
    if not tasks:
        raise Conflict("Every task has completed: nothing to run again.", state=fleet.state)
    return tasks


def write_list_again(run: Run, tasks: list[Task], *, now: datetime) -> list[Agent]:
    """Write these tasks into a new run, in the caller's transaction; the agents that drain it."""
    fleet = run.fleet
    agents = list(ready_agents(fleet).select_for_update(of=("self",)))
    ready = {agent.pk for agent in agents}
    first = _first(fleet, tasks)
    template = parse_template(run.message, place="prompt", fields=POOL_FIELDS)
    rows = []
    for task in tasks:
        prompt, item = first[task.position]
        goes_on = not run.is_fresh and task.agent_id in ready
        if run.message:
            given = PoolTask(task.name, item or prompt)
            item = given.message
            prompt = template.fill(fields_of_task(given, index=task.position))
        rows.append(
            Task(
                run=run,
                agent_id=task.agent_id if goes_on else None,
                position=task.position,
                name=task.name,
                prompt=prompt,
                item=item,
                session_id=task.session_id if goes_on else "",
                state=TaskState.QUEUED,
            )
        )
    Task.objects.bulk_create(rows, batch_size=_BATCH)
    _let_wait(run, agents, now=now)
    return agents


def _first(fleet: Fleet, tasks: list[Task]) -> dict[int, tuple[str, str]]:
    """What the tasks were at the launch: prompt and item by their place in the list."""
    launched = Task.objects.filter(run__fleet=fleet, run__number=1)
    rows = launched.filter(position__in=[task.position for task in tasks])
    return {
        place: (prompt, item)
        for place, prompt, item in rows.values_list("position", "prompt", "item")
    }


def _let_wait(run: Run, agents: list[Agent], *, now: datetime) -> None:
    for agent in agents:
        agent.state, agent.state_reason = TaskState.QUEUED, ""
        agent.last_event, agent.last_event_at = f"waits for run {run.number}", now
        if run.is_fresh and run.fleet.is_same_session:
            public_id = run.fleet.public_id
            agent.session_id = ids.session_id(public_id, agent.agent_id, run=run.number)
    fields = ["state", "state_reason", "last_event", "last_event_at", "session_id"]
    update_rows(agents, fields)
