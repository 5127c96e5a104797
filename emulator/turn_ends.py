"""How turns end: completed, failed, cancelled or waiting; a call in flight always settles."""

from emulator import closing, frames, modelcalls
from emulator.beats import Beat, beats_of
from emulator.entities import Execution, Machine, Session
from emulator.scripts import Plan, plan_turn
from emulator.world import World

ENDINGS = {
    "SANDBOX_DELETED": "The sandbox was deleted while the turn was running.",
    "SANDBOX_STOPPED": "The sandbox was stopped while the turn was running.",
    "SANDBOX_EXPIRED": "The sandbox reached the end of its lifetime.",
}


def script_of(world: World, execution: Execution) -> tuple[Plan, list[Beat]]:
    """The plan and its beats: the same whenever they are made, also after a restart."""
    found = world.scripts.get(execution.id)
    if found is None:
        plan = plan_turn(
            seed=world.config.seed,
            session_id=execution.session_id,
            turn_id=execution.turn_id,
            prompt=execution.prompt,
            failure_share=execution.failure_share,
            context=execution.context_tokens,
            knows=tuple(execution.knows),
        )
        found = (plan, beats_of(plan, time_factor=execution.time_factor))
        world.scripts[execution.id] = found
    return found


def settle_call(world: World, execution: Execution) -> None:
    """Charge the call in flight, if there is one."""
    if execution.held_nusd is not None:
        call = script_of(world, execution)[0].calls[execution.call]
        modelcalls.settle(world, execution, call=call)


def fail(world: World, execution: Execution, *, code: str, message: str) -> None:
    """End the turn with an `error` event (contract 10, row 16); a call in flight settles."""
    settle_call(world, execution)
    execution.error, execution.error_code = message, code
    end_turn(world, execution, status="failed")
    emit(world, execution, [closing.error(execution)])
    emit(world, execution, closing.closing(execution, outcome="failed"))
    after_end(world, execution)


def abort(world: World, execution: Execution) -> None:
    """End the turn as cancelled; a call in flight settles."""
    settle_call(world, execution)
    execution.error, execution.error_code = "The turn was cancelled.", "CANCELLED"
    end_turn(world, execution, status="cancelled")
    emit(world, execution, closing.closing(execution, outcome="cancelled"))
    after_end(world, execution)


def end_turns_of(world: World, machine: Machine, *, error_code: str) -> None:
    """The machine ceases, and with it whatever runs on it."""
    for session_key in world.sessions_by_machine.get(machine.id, []):
        active = world.sessions[session_key].active_execution_id
        if active is not None:
            fail(world, world.executions[active], code=error_code, message=ENDINGS[error_code])


def end_turn(world: World, execution: Execution, *, status: str) -> None:
    """The execution and its session as they are once it no longer runs."""
    execution.status = status
    execution.ended_ms = world.now_ms()
    session: Session = world.sessions[execution.session_key]
    session.active_execution_id = None
    machine = world.machines[execution.sandbox_id]
    machine.activity_ms = execution.ended_ms
    world.touch(machine)
    session.context_tokens += execution.output_tokens + len(execution.prompt) // 4
    world.touch(session)
    world.touch(execution)


def after_end(world: World, execution: Execution) -> None:
    """Readers see the end; the frames are kept for as long as the buffer says."""
    world.scripts.pop(execution.id, None)
    world.wake_readers(execution.id)
    batch_id = world.machines[execution.sandbox_id].batch_id
    if batch_id:
        world.scheduler.at(world.now_ms(), kind="batch", entity_id=batch_id)
    retention_ms = int(world.dials.event_retention_s * 1000)
    ended_ms = execution.ended_ms or 0
    world.scheduler.at(ended_ms + retention_ms + 1, kind="events", entity_id=execution.id)


def emit(world: World, execution: Execution, batch: list[frames.Frame]) -> None:
    """Add frames to the execution's stream."""
    for kind, body in batch:
        world.append_event(execution, kind=kind, body=body)
