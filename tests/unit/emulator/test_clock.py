"""Jumps of the clock, and heartbeats that do not depend on it."""

import pytest

from emulator.beats import beats_of
from emulator.scripts import plan_turn
from tests.unit.emulator.bench import Bench


def advance(bench: Bench, seconds: float) -> None:
    body = {"advanceS": seconds}
    assert bench.call("POST", "/_emulator/clock", body, key=None).status == 200


def test_jump_finishes_the_turns_that_end_in_it() -> None:
    bench = Bench(failure_share=0.0)
    (box,) = bench.fleet()
    bench.dispatch(box, "short", "Read it. [[slow 60]]")
    bench.dispatch(box, "long", "Read it. [[slow 600]]")
    start_ms = bench.clock.at_ms
    advance(bench, 61)
    short, long = bench.execution("short"), bench.execution("long")
    assert (short.status, long.status) == ("completed", "running")
    assert abs((short.ended_ms or 0) - start_ms - 60_000) < 100
    assert bench.clock.at_ms == start_ms + 61_000
    advance(bench, 540)
    assert long.status == "completed"


def test_frames_of_a_jump_bear_their_own_moments() -> None:
    bench = Bench()
    (box,) = bench.fleet()
    bench.dispatch(box, "s", "Read it. [[ok]] [[slow 100]]")
    advance(bench, 200)
    frames = bench.frames(box, "s")
    elapsed = [data["elapsedMs"] for _name, data in frames if "elapsedMs" in data]
    assert elapsed == sorted(elapsed)
    assert 95_000 < elapsed[-1] < 100_000
    timing = dict(frames)["result"]["timing"]
    assert abs(timing["durationMs"] - 100_000) < 100


def test_jump_meters_machines_until_they_stop_and_not_after() -> None:
    bench = Bench()
    key_id, secret = bench.mint(1)
    bench.fleet(key=secret, defaults={"idleTimeoutSeconds": 60})
    advance(bench, 3600)
    spent = bench.world.ledger.keys[key_id].spent_nusd
    # A small machine costs 24,000 nanodollars a second.
    assert spent == pytest.approx(60 * 24_000, rel=0.01)


@pytest.mark.parametrize("slow_s", [6, 20, 61, 200, 900])
@pytest.mark.parametrize("session", ["a", "b", "c"])
def test_no_more_than_five_seconds_pass_without_a_heartbeat(slow_s: int, session: str) -> None:
    plan = plan_turn(
        seed=7,
        session_id=session,
        turn_id="t",
        prompt=f"Read. [[ok]] [[slow {slow_s}]]",
        failure_share=0,
        context=0,
    )
    beats = beats_of(plan, time_factor=1.0)
    since_ms = 0.0
    for beat in beats:
        since_ms += beat.delay_ms
        assert since_ms <= 5_000 + 1e-6
        if beat.action in ("beat", "call"):
            since_ms = 0.0
    assert round(sum(beat.delay_ms for beat in beats)) == slow_s * 1000


def test_first_heartbeat_comes_before_the_first_call_of_a_slow_turn() -> None:
    bench = Bench()
    (box,) = bench.fleet()
    bench.dispatch(box, "s", "Read. [[ok]] [[calls 1]] [[slow 900]]")
    bench.run_for(5.01)
    names = [event.type for event in bench.world.events[bench.execution("s").id]]
    assert names[-1] == "model-processing"
    assert names.count("raw") == 0
