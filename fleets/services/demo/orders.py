"""The operations of one fleet of the data set, each with its nodes as the proof."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from fleets.domain.money import show_exact, show_per_hour
from fleets.domain.prices import MACHINE_SIZES
from fleets.domain.status import FleetState, OperationKind, OperationState, TaskState
from fleets.models import Agent, Fleet, Machine, NodeKind, Operation, OperationNode
from fleets.services.demo import texts
from fleets.services.demo.catalog import Story
from fleets.services.demo.figures import hex_of
from fleets.services.demo.removal import DOOR

_S: Final = OperationState
STEP: Final = timedelta(milliseconds=180)


@dataclass(frozen=True, slots=True)
class Act:
    """One operation before it is written."""

    kind: OperationKind
    at: datetime
    state: OperationState
    sentence: str
    took: timedelta = timedelta(seconds=4)


def write_orders(
    story: Story, fleet: Fleet, agents: Sequence[Agent], machines: Sequence[Machine]
) -> None:
    """Write what was ordered of the fleet, oldest first."""
    for act in _acts(story, fleet):
        operation = _operation(fleet, act)
        nodes = _NODES[act.kind](fleet, act, agents, machines)
        for position, node in enumerate(nodes):
            node.operation, node.position = operation, position
        OperationNode.objects.bulk_create(nodes, batch_size=1_000)


def _acts(story: Story, fleet: Fleet) -> list[Act]:
    end = fleet.work_ended_at or fleet.state_since
    is_creating = story.state is FleetState.CREATING
    acts = [
        Act(
            OperationKind.LAUNCH,
            fleet.created_at,
            _S.RUNNING if is_creating else _S.DONE,
            "" if is_creating else "All machines made; the agents are at work.",
            timedelta(seconds=21),
        )
    ]
    acts += [_extra(word, fleet, end) for word in story.extra if word in _EXTRAS]
    if story.state in _FINAL:
        acts.append(_final(story, fleet, end))
    return acts


_EXTRAS: Final = {
    "hold": (OperationKind.HOLD, "Held: no new turns. 2 running ones go on."),
    "release": (OperationKind.RELEASE, "Released: queued tasks are begun again."),
    "reopen": (OperationKind.REOPEN, "Reopened: queued tasks are begun again within the budget."),
    "cut": (OperationKind.CUT_OFF, ""),
}
_FINAL: Final = frozenset(
    {FleetState.CANCELLING, FleetState.CANCELLED, FleetState.DELETING, FleetState.DELETED}
)


def _extra(word: str, fleet: Fleet, end: datetime) -> Act:
    kind, sentence = _EXTRAS[word]
    later = timedelta(minutes=3) if word in {"release", "reopen"} else timedelta()
    at = min(end, fleet.created_at + timedelta(minutes=6) + later)
    if kind is OperationKind.CUT_OFF:
        at = fleet.cut_off_requested_at or at
        sentence = (
            f"Cut off: the cap is {show_exact(fleet.key_cap_nusd)}, what was spent. Calls in "
            "flight settle; every further call, machine and child is refused until it is reopened."
        )
    elif kind is OperationKind.HOLD:
        at = fleet.held_at or at
    return Act(kind, at, _S.DONE, sentence, timedelta(seconds=1))


def _final(story: Story, fleet: Fleet, end: datetime) -> Act:
    running = fleet.machines_running
    hourly = MACHINE_SIZES[fleet.size].nusd_per_hour * fleet.machines_total
    stay = f"{fleet.machines_total} machines stay, ~ {show_per_hour(hourly)}."
    match story.state:
        case FleetState.CANCELLING:
            words = "2 more readings with nothing new are awaited."
            return Act(OperationKind.CANCEL, fleet.cancel_requested_at or end, _S.RUNNING, words)
        case FleetState.CANCELLED if story.name == "wrong-branch":
            words = f"4 interrupted, 1 had finished, 1 not confirmed. {stay}"
            return Act(OperationKind.CANCEL, fleet.cancel_requested_at or end, _S.FAILED, words)
        case FleetState.CANCELLED:
            words = f"6 interrupted. {stay}"
            return Act(OperationKind.CANCEL, fleet.cancel_requested_at or end, _S.DONE, words)
        case FleetState.DELETING:
            words = f"Deleting: {running} machines, 1 keys left, asking again."
            return Act(OperationKind.DELETE, fleet.delete_requested_at or end, _S.RUNNING, words)
        case _:
            words = (
                "Nothing is left: no fleet, no machine, no key. Nothing of it costs any more. "
                f"It spent {show_exact(fleet.spent_nusd)}."
            )
            return Act(OperationKind.DELETE, fleet.delete_requested_at or end, _S.DONE, words)


def _operation(fleet: Fleet, act: Act) -> Operation:
    public_id = f"op_{hex_of(fleet.public_id, act.kind, digits=16)}"
    is_over = act.state in {_S.DONE, _S.FAILED}
    result: dict[str, Any] = {}
    if act.kind is OperationKind.CUT_OFF:
        result = {"keyId": fleet.key_id, "capNusd": fleet.key_cap_nusd, "confirmed": True}
    return Operation.objects.create(
        public_id=public_id,
        fleet=fleet,
        kind=act.kind,
        state=act.state,
        requested_by=None if act.kind is OperationKind.DELETE else fleet.owner,
        door=DOOR,
        requested_at=act.at,
        reason=texts.REASONS.get(act.kind, ""),
        idempotency_key=f"demo-{public_id}",
        sentence=act.sentence,
        result=result,
        confirmed_at=act.at + act.took if act.state is _S.DONE else None,
        ended_at=act.at + act.took if is_over else None,
        readings=2 if is_over and act.kind in _READ else 0,
        attempts=3 if act.kind in _READ else 1,
    )


_READ: Final = frozenset({OperationKind.CANCEL, OperationKind.DELETE})


def _fleet_and_key(fleet: Fleet, act: Act, *, result: str, key_result: str) -> list[OperationNode]:
    done = act.state is not _S.RUNNING
    at = act.at + STEP
    nodes = [
        OperationNode(
            kind=NodeKind.FLEET,
            label=fleet.name,
            ref=fleet.public_id,
            state="done" if done else "running",
            requested_at=act.at,
            acknowledged_at=at if done else None,
            result=result if done else "",
        )
    ]
    if fleet.budget_nusd is not None and key_result:
        nodes.append(_key(fleet, act, done=done, result=key_result))
    return nodes


def _key(fleet: Fleet, act: Act, *, done: bool, result: str) -> OperationNode:
    return OperationNode(
        kind=NodeKind.KEY,
        label=f"key of {fleet.name}",
        ref="key",
        state="done" if done else "running",
        requested_at=act.at,
        acknowledged_at=act.at + STEP if done else None,
        key_at=act.at + STEP if done else None,
        attempts=1,
        result=result if done else "",
    )


def _launch_nodes(
    fleet: Fleet, act: Act, _agents: Sequence[Agent], machines: Sequence[Machine]
) -> list[OperationNode]:
    nodes = _fleet_and_key(
        fleet, act, result="accepted, provisioning", key_result="minted with the fleet's budget"
    )
    for machine in machines:
        is_up = machine.running_since is not None
        nodes.append(
            OperationNode(
                kind=NodeKind.MACHINE,
                label=f"{fleet.name}/{machine}",
                ref=machine.machine_id,
                state="done" if is_up else "queued",
                requested_at=act.at,
                acknowledged_at=machine.running_since,
                result=f"running, {machine.sandbox_id}" if is_up else "",
            )
        )
    return nodes


def _state_nodes(
    fleet: Fleet, act: Act, _agents: Sequence[Agent], _machines: Sequence[Machine]
) -> list[OperationNode]:
    return _fleet_and_key(fleet, act, result="", key_result="")


def _key_nodes(
    fleet: Fleet, act: Act, _agents: Sequence[Agent], _machines: Sequence[Machine]
) -> list[OperationNode]:
    cut = act.kind is OperationKind.CUT_OFF
    words = f"cap lowered to {show_exact(fleet.key_cap_nusd)}" if cut else "cap is the budget again"
    return [_key(fleet, act, done=True, result=words)]


def _cancel_nodes(
    fleet: Fleet, act: Act, agents: Sequence[Agent], _machines: Sequence[Machine]
) -> list[OperationNode]:
    nodes = [_key(fleet, act, done=True, result=f"cap lowered to {show_exact(fleet.spent_nusd)}")]
    touched = [a for a in agents if a.state in {TaskState.CANCELLED, TaskState.RUNNING}]
    for number, agent in enumerate(touched):
        asked = act.at + STEP * (number + 1)
        node = OperationNode(
            kind=NodeKind.AGENT,
            label=f"{fleet.name}/{agent.agent_id}",
            ref=agent.agent_id,
            requested_at=asked,
            attempts=1,
        )
        _how_it_went(node, act, number, asked)
        nodes.append(node)
    return nodes


def _how_it_went(node: OperationNode, act: Act, number: int, asked: datetime) -> None:
    node.acknowledged_at, node.stopped_at = asked + STEP, asked + 2 * STEP
    node.state, node.result = "stopped", "interrupted, conversation kept"
    if act.state is _S.RUNNING and number % 3 == 1:
        node.state, node.result, node.stopped_at = (
            "acknowledged",
            "acknowledged, still reading",
            None,
        )
    elif act.state is _S.RUNNING and number == 2:
        node.state, node.revived, node.stopped_at = "came_back", 1, None
        node.result = "runs although its stop was acknowledged, stopping it again"
    elif act.state is _S.FAILED and number == 0:
        node.state, node.acknowledged_at, node.stopped_at = "failed", None, None
        node.attempts, node.result = 3, "502 after 3 tries: not confirmed"
    elif act.state is _S.FAILED and number == 1:
        node.state = "finished"
        node.result = "had finished before the interrupt arrived; its answer is kept"
    elif act.state is _S.FAILED and number == 2:
        node.result = (
            "its interrupt was acknowledged, and it completed all the same: its answer is kept as "
            "data of a cancelled turn, its cost counted"
        )


def _delete_nodes(
    fleet: Fleet, act: Act, _agents: Sequence[Agent], machines: Sequence[Machine]
) -> list[OperationNode]:
    nodes = _fleet_and_key(fleet, act, result="gone", key_result="revoked")
    for number, machine in enumerate(machines):
        gone = machine.gone_at is not None
        nodes.append(
            OperationNode(
                kind=NodeKind.MACHINE,
                label=f"{fleet.name}/{machine}",
                ref=machine.machine_id,
                state="done" if gone else "queued",
                requested_at=act.at,
                gone_at=act.at + STEP * (number % 20 + 2) if gone else None,
                result="gone" if gone else "",
            )
        )
    return nodes


_Nodes = Callable[[Fleet, Act, Sequence[Agent], Sequence[Machine]], list[OperationNode]]
_NODES: Final[dict[OperationKind, _Nodes]] = {
    OperationKind.LAUNCH: _launch_nodes,
    OperationKind.HOLD: _state_nodes,
    OperationKind.RELEASE: _state_nodes,
    OperationKind.CUT_OFF: _key_nodes,
    OperationKind.REOPEN: _key_nodes,
    OperationKind.CANCEL: _cancel_nodes,
    OperationKind.DELETE: _delete_nodes,
}
