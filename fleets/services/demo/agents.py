"""Agents, tasks and turns of one fleet of the data set."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Final

from fleets.domain import ids
from fleets.domain.spec import fields_of
from fleets.domain.status import (
    WAITING_TASKS,
    FleetState,
    OutcomeReason,
    TaskState,
    TurnOutcome,
    TurnState,
)
from fleets.domain.template import parse_template
from fleets.models import Agent, Fleet, Machine, Run, Task, Turn
from fleets.services.demo import texts
from fleets.services.demo.catalog import Story
from fleets.services.demo.figures import draw, figures_of, hex_of

BATCH: Final = 1_000
LONGEST_TURN_S: Final = 150.0
_WAITING: Final = tuple(sorted(WAITING_TASKS))
_NEVER_BEGUN: Final = frozenset({TaskState.QUEUED, TaskState.NOT_STARTED})


@dataclass(slots=True)
class Rows:
    """The rows of all agents, in order."""

    agents: list[Agent] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)

    @property
    def cost_nusd(self) -> int:
        """What the turns cost together."""
        return sum(turn.cost_nusd or 0 for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Scene:
    """The fleet, its one run, and when its turns began and ended (now, while it works)."""

    story: Story
    fleet: Fleet
    run: Run
    begun: datetime
    end: datetime


def write_agents(scene: Scene, place: dict[str, Machine]) -> Rows:
    """Write every agent with its task and, where it began, its turn."""
    rows = Rows()
    template = parse_template(scene.fleet.prompt, place="prompt")
    states = zip(ids.agent_ids(scene.story.count), _states(scene.story), strict=True)
    for position, (agent_id, state) in enumerate(states, start=1):
        dice = draw(scene.fleet.public_id, agent_id)
        agent = _agent(scene, place[agent_id], agent_id, position=position)
        prompt = template.fill(fields_of(agent_id, index=position))
        task = Task(run=scene.run, agent=agent, position=position, prompt=prompt)
        rows.agents.append(agent)
        rows.tasks.append(task)
        _tell(scene, agent, task, state, dice)
        if state not in _NEVER_BEGUN:
            rows.turns.append(_turn(scene, agent, task, dice))
    Agent.objects.bulk_create(rows.agents, batch_size=BATCH)
    Task.objects.bulk_create(rows.tasks, batch_size=BATCH)
    Turn.objects.bulk_create(rows.turns, batch_size=BATCH)
    return rows


def _states(story: Story) -> Iterator[TaskState]:
    """One state for each agent: those that ended are mixed, what was not begun comes last."""
    ended = (
        [TaskState.COMPLETED] * story.done
        + [TaskState.FAILED] * story.failed
        + [TaskState.TIMED_OUT] * story.timed_out
        + [TaskState.BUDGET_EXHAUSTED] * story.refused
    )
    draw(story.name, "order").shuffle(ended)
    yield from ended
    yield from [TaskState.RUNNING] * story.at_work
    yield from (_WAITING[number % len(_WAITING)] for number in range(story.waiting))
    rest = story.count - len(ended) - story.at_work - story.waiting
    interrupted = min(rest, INTERRUPTED) if story.state is FleetState.CANCELLED else 0
    yield from [TaskState.CANCELLED] * interrupted
    yield from [_unbegun(story)] * (rest - interrupted)


INTERRUPTED: Final = 6
_STOPPED: Final = frozenset(
    {FleetState.BUDGET_EXHAUSTED, FleetState.CANCELLING, FleetState.CANCELLED}
)


def _unbegun(story: Story) -> TaskState:
    return TaskState.NOT_STARTED if story.state in _STOPPED else TaskState.QUEUED


def _agent(scene: Scene, machine: Machine, agent_id: str, *, position: int) -> Agent:
    return Agent(
        fleet=scene.fleet,
        machine=machine,
        agent_id=agent_id,
        position=position,
        session_id=ids.session_id(scene.fleet.public_id, agent_id),
        harness=scene.fleet.harness,
        model=scene.fleet.model,
    )


def _tell(scene: Scene, agent: Agent, task: Task, state: TaskState, dice: Random) -> None:
    """Write the state and its words onto agent and task."""
    agent.state = task.state = state
    if state is TaskState.NOT_STARTED:
        by_budget = scene.story.state is FleetState.BUDGET_EXHAUSTED
        reason = OutcomeReason.BUDGET if by_budget else OutcomeReason.CANCELLED
        agent.state_reason = task.reason = reason
        agent.last_event, agent.last_event_at = f"not started: {reason}", scene.end
        task.ended_at = scene.end
    elif state is TaskState.COMPLETED:
        task.response = dice.choice(texts.ANSWERS[scene.story.task])
        agent.last_event = "completed"
    elif state is TaskState.RUNNING:
        agent.last_event = dice.choice(texts.LAST_EVENTS)
    elif state in WAITING_TASKS:
        agent.last_event = dice.choice(texts.QUESTIONS)
    elif state is not TaskState.QUEUED:
        task.error = _error(scene.story, state, dice)[0]
        agent.last_event = task.error or state.value.replace("_", " ")


def _error(story: Story, state: TaskState, dice: Random) -> tuple[str, str]:
    match state:
        case TaskState.FAILED:
            return texts.SAME_ERROR.get(story.name) or dice.choice(texts.ERRORS)
        case TaskState.TIMED_OUT:
            return "The turn took longer than 10 min.", "TIMEOUT"
        case TaskState.BUDGET_EXHAUSTED:
            return "Refused by the platform: the key's budget does not hold this call.", (
                "BUDGET_EXCEEDED"
            )
        case _:
            return "", ""


def _turn(scene: Scene, agent: Agent, task: Task, dice: Random) -> Turn:
    is_open = task.state == TaskState.RUNNING
    requested, ended = _times(scene, dice, is_open=is_open)
    turn = Turn(
        run=scene.run,
        task=task,
        agent=agent,
        turn_id=ids.turn_id(1, 1),
        epoch=1,
        state=TurnState.RUNNING if is_open else TurnState.ENDED,
        outcome=None if is_open else TurnOutcome(task.state),
        dispatches=1,
        requested_at=requested,
        admitted_at=requested + timedelta(milliseconds=dice.randint(60, 700)),
        ended_at=None if is_open else ended,
        turn_day=requested.date(),
        execution_id=f"exec-{hex_of('execution', agent.session_id, digits=32)}",
        trace_id=hex_of("trace", agent.session_id, digits=32),
    )
    task.started_at, task.ended_at = requested, turn.ended_at
    agent.effective_harness, agent.effective_model = agent.harness, agent.model
    quiet_s = dice.randint(0, 9) if is_open else 0
    agent.last_event_at = ended - timedelta(seconds=quiet_s)
    agent.turns = 1
    if is_open:
        so_far = figures_of(scene.fleet.model, dice)
        agent.running_input_tokens = so_far.input_tokens // 2
        agent.running_output_tokens = so_far.output_tokens // 3
    else:
        _use(scene, agent, turn, dice)
    return turn


def _times(scene: Scene, dice: Random, *, is_open: bool) -> tuple[datetime, datetime]:
    span_s = max(1.0, (scene.end - scene.begun).total_seconds())
    lasts_s = min(span_s * 0.9, dice.uniform(18, LONGEST_TURN_S))
    if is_open:
        return scene.end - timedelta(seconds=lasts_s), scene.end
    requested = scene.begun + timedelta(seconds=dice.uniform(0, span_s - lasts_s))
    return requested, requested + timedelta(seconds=lasts_s)


def _use(scene: Scene, agent: Agent, turn: Turn, dice: Random) -> None:
    """Tokens and money of an ended turn; one that was refused at once used nothing."""
    if turn.outcome == TurnOutcome.FAILED:
        turn.error, turn.error_code = _error(scene.story, TaskState.FAILED, draw(agent.session_id))
        turn.error = turn.task.error
    elif turn.outcome is not None:
        turn.error, turn.error_code = _error(scene.story, TaskState(turn.outcome), dice)
    if scene.story.name in texts.SAME_ERROR:
        return
    used = figures_of(scene.fleet.model, dice)
    turn.input_tokens = agent.input_tokens = used.input_tokens
    turn.cached_tokens = agent.cached_tokens = used.cached_tokens
    turn.output_tokens = agent.output_tokens = used.output_tokens
    turn.reasoning_tokens = used.reasoning_tokens
    turn.cost_nusd = agent.cost_nusd = used.cost_nusd
