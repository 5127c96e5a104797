"""The turn engine: beats on the clock, model calls against the ledger, ends of every kind."""

from emulator import closing, frames, modelcalls
from emulator.beats import Beat
from emulator.dooms import DOOMS, HARNESS_FAILED, doom_of
from emulator.entities import Execution
from emulator.interactions import ask, withdraw
from emulator.memory import take
from emulator.scripts import CallPlan, Plan
from emulator.spawners import start_spawner
from emulator.turn_ends import after_end, emit, end_turn, fail, script_of, settle_call
from emulator.world import World

CATCH_UP_S = 0.02
# The beat at which a doomed turn fails: before its first call, or in it.
DOOMED_AT = {
    "harness": "call",
    "credential": "call",
    "mismatch": "call",
    "out_of_memory": "think",
}
FAILURES = {
    "harness": HARNESS_FAILED,
    "tool": ("EXEC_TIMEOUT", "The tool did not answer within 120000 ms."),
    "model": ("provider_inference_unavailable", "The model's provider did not answer."),
}


def begin_turn(world: World, execution: Execution) -> None:
    """Admit the turn; its first beat comes at once, after the receipt."""
    session = world.sessions[execution.session_key]
    session.execution_ids.append(execution.id)
    session.active_execution_id = execution.id
    world.executions[execution.id] = execution
    machine = world.machines[execution.sandbox_id]
    execution.doom = execution.doom or doom_of(world, execution, machine)
    _schedule(world, execution, delay_ms=0)
    world.touch(session)


def turn_due(world: World, execution_id: str) -> None:
    """The scheduler's call: the turn's next beat."""
    execution = world.executions.get(execution_id)
    now_ms = world.now_ms()
    if execution is None or execution.status != "running" or execution.due_ms > now_ms:
        return
    if execution.deadline_ms is not None and now_ms >= execution.deadline_ms:
        message = f"The turn passed its {execution.timeout_ms} ms."
        fail(world, execution, code="TIMEOUT", message=message)
        return
    plan, beats = script_of(world, execution)
    beat = beats[execution.cursor]
    execution.cursor += 1
    if not _meets_doom(world, execution, beat=beat):
        wait_ms = _play(world, execution, plan=plan, beat=beat)
        if wait_ms is not None:
            # The same beat again, once the key may call.
            execution.cursor -= 1
            _schedule(world, execution, delay_ms=wait_ms)
            return
    if beat.action in ("call", "beat", "tool") and execution.doom is None:
        # Contract 10, row 25: its machine is warm from now on.
        _warm(world, execution)
    world.touch(execution)
    if execution.status == "running":
        _schedule(world, execution, delay_ms=beats[execution.cursor].delay_ms)


def _meets_doom(world: World, execution: Execution, *, beat: Beat) -> bool:
    """Fail the turn when this is the beat at which it must; True = it failed."""
    doom = execution.doom
    if beat.action == "think" and not execution.memory_mib and not take(world, execution):
        doom = "out_of_memory"
    if doom is None or beat.action != DOOMED_AT[doom]:
        return False
    code, message = DOOMS[doom]
    fail(world, execution, code=code, message=message)
    return True


def _warm(world: World, execution: Execution) -> None:
    machine = world.machines[execution.sandbox_id]
    if not machine.warm and execution.status == "running":
        machine.warm = True
        world.touch(machine)


def _schedule(world: World, execution: Execution, *, delay_ms: float) -> None:
    # From the moment it was due, so that timers do not stretch turns; but a machine too busy to
    # keep up stretches them, or they would race ahead of those who drive them.
    now_ms = world.now_ms()
    late_s = world.clock.real_seconds(now_ms - execution.due_ms)
    before_ms = execution.due_ms if late_s < CATCH_UP_S else now_ms
    due_ms = before_ms + max(1, round(delay_ms))
    if execution.deadline_ms is not None:
        due_ms = min(due_ms, execution.deadline_ms)
    execution.due_ms = due_ms
    world.touch(execution)
    world.scheduler.at(due_ms, kind="turn", entity_id=execution.id)


def _play(world: World, execution: Execution, *, plan: Plan, beat: Beat) -> int | None:
    """Do what the beat says; milliseconds when it has to be tried again after them."""
    call = plan.calls[beat.call]
    native_id = world.sessions[execution.session_key].native_id
    if beat.action == "open":
        emit(world, execution, frames.opening(execution, native_id=native_id))
        withdraw(world, execution)
    elif beat.action == "call":
        return _start_call(world, execution, call=call, index=beat.call)
    elif beat.action == "beat":
        elapsed_ms = world.now_ms() - execution.started_ms
        emit(world, execution, [frames.heartbeat("thinking", elapsed_ms=elapsed_ms)])
    elif beat.action in ("think", "say"):
        _speak(world, execution, call=call, beat=beat)
    elif beat.action == "settle":
        settle_call(world, execution)
    elif beat.action == "tool":
        _use_tool(world, execution, call=call, index=beat.call)
    elif beat.action == "spawn":
        start_spawner(world, execution, children=plan.spawns or 0)
    elif beat.action == "ask":
        ask(world, execution, kind=plan.asks or "question", call=call)
    elif beat.action == "finish":
        _complete(world, execution, call=call, index=beat.call)
    else:
        _fail_by_plan(world, execution, plan=plan, index=beat.call)
    return None


def _start_call(world: World, execution: Execution, *, call: CallPlan, index: int) -> int | None:
    refusal = modelcalls.begin(world, execution, call=call, index=index)
    if refusal is not None and refusal.wait_ms is not None:
        warning = {"code": refusal.code, "message": refusal.message}
        emit(world, execution, [("warning", warning)])
        return refusal.wait_ms
    if refusal is not None:
        fail(world, execution, code=refusal.code, message=refusal.message)
        return None
    now_ms = world.now_ms()
    started = frames.call_started(
        execution,
        call=index,
        at_ms=now_ms,
        elapsed_ms=now_ms - execution.started_ms,
        native_id=world.sessions[execution.session_key].native_id,
    )
    emit(world, execution, started)
    return None


def _speak(world: World, execution: Execution, *, call: CallPlan, beat: Beat) -> None:
    kind = "text" if beat.action == "say" else "reasoning"
    piece = call.says[beat.part] if kind == "text" else call.thought
    so_far = execution.said if kind == "text" else execution.thought
    delta = f"\n\n{piece}" if so_far else piece
    if kind == "text":
        execution.said += delta
    else:
        execution.thought += delta
    said = frames.spoken(
        execution,
        kind=kind,
        call=beat.call,
        delta=delta,
        at_ms=world.now_ms(),
        native_id=world.sessions[execution.session_key].native_id,
    )
    emit(world, execution, said)


def _use_tool(
    world: World, execution: Execution, *, call: CallPlan, index: int, failed: bool = False
) -> None:
    native_id = world.sessions[execution.session_key].native_id
    now_ms = world.now_ms()
    if call.tool is not None:
        result = "" if failed else call.tool.output
        execution.tools.append(
            {
                "toolName": call.tool.tool,
                "arguments": frames.tool_input(call.tool),
                "result": result,
            }
        )
        used = frames.tool_used(
            execution, call=index, tool=call.tool, failed=failed, at_ms=now_ms, native_id=native_id
        )
        emit(world, execution, used)
    step = frames.step_finished(execution, call=index, plan=call, at_ms=now_ms, native_id=native_id)
    emit(world, execution, [step])


def _complete(world: World, execution: Execution, *, call: CallPlan, index: int) -> None:
    native_id = world.sessions[execution.session_key].native_id
    step = frames.step_finished(
        execution, call=index, plan=call, at_ms=world.now_ms(), native_id=native_id
    )
    emit(world, execution, [step])
    end_turn(world, execution, status="completed")
    emit(world, execution, closing.closing(execution, outcome="completed"))
    after_end(world, execution)


def _fail_by_plan(world: World, execution: Execution, *, plan: Plan, index: int) -> None:
    failure = plan.failure or "harness"
    if failure == "tool":
        _use_tool(world, execution, call=plan.calls[index], index=index, failed=True)
    code, message = FAILURES[failure]
    fail(world, execution, code=code, message=message)
