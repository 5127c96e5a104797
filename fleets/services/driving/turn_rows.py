"""Writes the rows of turns before anything of them is sent.

In a pool this is also how an agent takes a task: task, agent and turn are written together, so
that a task is taken once whatever dies, and is sent again by the same agent in the same session.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from fleets.domain import ids
from fleets.domain.driving import Beginning
from fleets.domain.status import TaskState, TurnState
from fleets.live import publish
from fleets.models import Agent, Fleet, Run, Task, Turn
from fleets.services.row_updates import update_rows


@transaction.atomic
def write_turns(run: Run, fleet: Fleet, chosen: Beginning, *, now: datetime) -> list[Turn]:
    """Write a turn of each chosen task that still waits; a task of nobody goes to its taker."""
    tasks = list(
        Task.objects.select_for_update(of=("self",))
        .filter(pk__in=chosen.tasks, state=TaskState.QUEUED)
        .select_related("agent")
        .order_by("position")
    )
    attempts = _attempts(tasks) if chosen.takers else {}
    _give_to_takers(run, fleet, tasks, chosen.takers, attempts)
    turns = [
        _turn(run, fleet, task, agent, attempt=attempts.get(task.pk, 0) + 1, now=now)
        for task, agent in _taken(tasks)
    ]
    Turn.objects.bulk_create(turns)
    agents = [turn.agent for turn in turns]
    for turn in turns:
        turn.task.state, turn.task.started_at = TaskState.RUNNING, now
        _set_to_work(turn.agent, turn, now=now)
    update_rows([turn.task for turn in turns], ["state", "started_at", "agent", "session_id"])
    update_rows(
        agents,
        [
            "state", "state_reason", "last_event", "last_event_at", "turns", "session_id",
            "running_input_tokens", "running_output_tokens",
        ],
    )  # fmt: skip
    if agents:
        pks = [agent.pk for agent in agents]
        publish(f"fleet:{fleet.public_id}", {"kind": "agents", "ids": pks})
    return turns


def _attempts(tasks: Iterable[Task]) -> dict[int, int]:
    """The number of the last attempt at each task that has one: a task can come back unbegun."""
    turns = Turn.objects.filter(task__in=[task.pk for task in tasks]).order_by()
    return dict(turns.values_list("task").annotate(last=Max("attempt")))


def _give_to_takers(
    run: Run,
    fleet: Fleet,
    tasks: Iterable[Task],
    takers: Mapping[int, int],
    attempts: Mapping[int, int],
) -> None:
    agents = Agent.objects.in_bulk(set(takers.values())) if takers else {}
    for task in tasks:
        if task.agent_id is not None or task.pk not in takers:
            continue
        task.agent = agents[takers[task.pk]]
        if not fleet.is_same_session:
            task.session_id = ids.task_session_id(
                fleet.public_id,
                run=run.number,
                position=task.position,
                attempt=attempts.get(task.pk, 0) + 1,
            )


def _taken(tasks: Iterable[Task]) -> Iterable[tuple[Task, Agent]]:
    return ((task, task.agent) for task in tasks if task.agent is not None)


def _turn(run: Run, fleet: Fleet, task: Task, agent: Agent, *, attempt: int, now: datetime) -> Turn:
    return Turn(
        run=run,
        task=task,
        agent=agent,
        attempt=attempt,
        turn_id=ids.turn_id(agent.turns + 1, 1),
        session_id=task.session_id or agent.session_id,
        epoch=fleet.epoch,
        state=TurnState.DISPATCHING,
        dispatches=1,
        requested_at=now,
        turn_day=now.date(),
    )


def _set_to_work(agent: Agent, turn: Turn, *, now: datetime) -> None:
    agent.state, agent.state_reason = TaskState.RUNNING, ""
    agent.last_event, agent.last_event_at = "turn sent", now
    agent.turns += 1
    # Where its conversation is now: another prompt goes on there.
    agent.session_id = turn.session_id
    agent.running_input_tokens = agent.running_output_tokens = None
