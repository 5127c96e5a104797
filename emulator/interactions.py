"""Questions, approvals and plans: the agent waits for an answer of its caller (contract 3.1, 3.4).

The turn ends in its waiting outcome; the answer is kept with the session, and the next turn goes
on. What nobody answered by then is withdrawn.
"""

from typing import Any

from emulator import closing, frames
from emulator.entities import Execution
from emulator.ids import digest
from emulator.scripts import CallPlan
from emulator.turn_ends import after_end, emit, end_turn
from emulator.world import World

JsonObject = dict[str, Any]
# What a prompt's `[[ask …]]` may say, and the turn's outcome (contract 3.4).
OUTCOMES = {
    "question": "awaiting_question",
    "approval": "blocked_on_approval",
    "plan": "awaiting_plan_decision",
}
_TEXTS = {
    "question": "Two modules do this. Should I change both, or only the one that is called?",
    "approval": "May I run `git push origin HEAD`?",
    "plan": "1. Read the module. 2. Write a test that fails. 3. Change it. 4. Run the suite.",
}


def ask(world: World, execution: Execution, *, kind: str, call: CallPlan) -> None:
    """End the turn waiting for an answer."""
    session = world.sessions[execution.session_key]
    request = _request(execution, kind)
    step = frames.step_finished(
        execution,
        call=execution.call,
        plan=call,
        at_ms=world.now_ms(),
        native_id=session.native_id,
    )
    asked: list[frames.Frame] = [step, ("interaction", {"request": request})]
    if kind == "plan":
        asked.append(("plan.submitted", {"plan": request["plan"]}))
    emit(world, execution, asked)
    execution.waiting = {"kind": kind, "status": OUTCOMES[kind], "request": request}
    session.interactions.append({"request": request, "outcome": None, "data": None})
    end_turn(world, execution, status="completed")
    emit(world, execution, closing.closing(execution, outcome=OUTCOMES[kind]))
    after_end(world, execution)


def _request(execution: Execution, kind: str) -> JsonObject:
    request: JsonObject = {
        "id": "int_" + digest(execution.id, "interaction")[:24],
        "kind": kind,
        "executionId": execution.id,
    }
    if kind == "question":
        options = [{"label": "Both"}, {"label": "Only the one that is called"}]
        request["questions"] = [{"question": _TEXTS[kind], "options": options}]
    elif kind == "approval":
        request |= {"title": _TEXTS[kind], "tool": "bash"}
    else:
        request["plan"] = _TEXTS[kind]
    return request


def outstanding(interactions: list[JsonObject]) -> list[JsonObject]:
    """The requests that wait for an answer."""
    return [one["request"] for one in interactions if one["outcome"] is None]


def withdraw(world: World, execution: Execution) -> None:
    """A new turn begins: whatever still waits in its session is cancelled."""
    session = world.sessions[execution.session_key]
    for one in session.interactions:
        if one["outcome"] is None:
            one["outcome"] = "cancelled"
            body = {"id": one["request"]["id"], "reason": "superseded"}
            emit(world, execution, [("interaction.cancel", body)])
    world.touch(session)
