"""A turn's plan as beats on the clock."""

from dataclasses import dataclass

from emulator.scripts import CallPlan, Plan

HEARTBEAT_MS = 5_000


@dataclass(frozen=True, slots=True)
class Beat:
    """`delay_ms` after the beat before it, do `action` for call number `call`."""

    delay_ms: float
    action: str
    call: int = 0
    part: int = 0


def beats_of(plan: Plan, *, time_factor: float) -> list[Beat]:
    """The turn in order; delays are in milliseconds of the emulator's clock."""
    beats = [Beat(0, "open")]
    if plan.failure == "harness":
        beats.append(Beat(plan.cold_ms, "fail"))
    else:
        for index, call in enumerate(plan.calls):
            delay = plan.cold_ms if index == 0 else 5
            beats.extend(_call_beats(call, index=index, delay_ms=delay))
            if plan.spawns is not None and index == 0:
                beats.insert(-1, Beat(1, "spawn"))
            if plan.asks is not None:
                beats[-1] = Beat(beats[-1].delay_ms, "ask", index)
                break
            if plan.failure is not None and index == plan.fails_at:
                beats[-1] = Beat(beats[-1].delay_ms, "fail", index)
                break
    total_ms = sum(beat.delay_ms for beat in beats)
    factor = plan.fixed_ms / total_ms if plan.fixed_ms is not None else time_factor
    return _with_heartbeats(beats, factor=factor)


def _with_heartbeats(beats: list[Beat], *, factor: float) -> list[Beat]:
    """Stretch the beats; whatever they say, no more than 5 s pass without a heartbeat."""
    timed: list[Beat] = []
    since_ms = 0.0
    for beat in beats:
        delay_ms = beat.delay_ms * factor
        while since_ms + delay_ms > HEARTBEAT_MS:
            wait_ms = HEARTBEAT_MS - since_ms
            timed.append(Beat(wait_ms, "beat", beat.call))
            delay_ms -= wait_ms
            since_ms = 0.0
        timed.append(Beat(delay_ms, beat.action, beat.call, beat.part))
        # The start of a call is a heartbeat itself.
        since_ms = 0.0 if beat.action == "call" else since_ms + delay_ms
    return timed


def _call_beats(call: CallPlan, *, index: int, delay_ms: float) -> list[Beat]:
    beats = [Beat(delay_ms, "call", index), Beat(call.think_ms * 0.3, "think", index)]
    share = 0.6 / len(call.says)
    beats += [Beat(call.think_ms * share, "say", index, part) for part in range(len(call.says))]
    beats.append(Beat(call.think_ms * 0.1, "settle", index))
    if call.tool is None:
        beats.append(Beat(1, "finish", index))
    else:
        beats.append(Beat(call.tool_ms, "tool", index))
    return beats
