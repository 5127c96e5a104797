"""Memory, cold starts and harnesses that fail: what many agents on one machine meet."""

from collections import Counter
from typing import Any

import pytest

from tests.unit.emulator.bench import Bench


def endings(bench: Bench) -> Counter[str]:
    return Counter(one.error_code or one.status for one in bench.world.executions.values())


def run_at_once(bench: Bench, agents: int, **fleet: Any) -> str:
    (box,) = bench.fleet(**fleet)
    for number in range(agents):
        bench.dispatch(box, f"agent-{number}", f"Look at part {number}. [[ok]]")
    bench.finish_turns()
    return box


# Memory


@pytest.mark.parametrize("seed", range(1, 13))
def test_twelve_at_once_in_four_gigabytes_lose_four(seed: int) -> None:
    bench = Bench(seed=seed, failure_share=0.0)
    run_at_once(bench, 12)
    assert endings(bench) == {"completed": 8, "OUT_OF_MEMORY": 4}
    assert bench.world.account.held_nusd == 0


@pytest.mark.parametrize("seed", range(1, 13))
def test_six_at_once_never_lose_one(seed: int) -> None:
    bench = Bench(seed=seed, failure_share=0.0)
    run_at_once(bench, 6)
    assert endings(bench) == {"completed": 6}


def test_agents_take_what_was_measured_and_the_same_each_time() -> None:
    bench = Bench(failure_share=0.0)
    run_at_once(bench, 6)
    first = {one.session_id: one.memory_mib for one in bench.world.executions.values()}
    assert all(450 <= one <= 570 for one in first.values())
    assert len(set(first.values())) > 1
    again = Bench(failure_share=0.0)
    run_at_once(again, 6)
    assert first == {one.session_id: one.memory_mib for one in again.world.executions.values()}


def test_memory_is_free_again_when_turns_have_ended() -> None:
    bench = Bench(failure_share=0.0)
    box = run_at_once(bench, 8)
    for number in range(8, 14):
        bench.dispatch(box, f"agent-{number}", "Look again. [[ok]]")
    bench.finish_turns()
    assert endings(bench) == {"completed": 14}


def test_killed_agent_has_paid_for_its_call_and_may_try_again() -> None:
    bench = Bench(failure_share=0.0)
    box = run_at_once(bench, 12)
    killed = [one for one in bench.world.executions.values() if one.status == "failed"]
    assert all(one.cost_nusd > 0 for one in killed)
    bench.dispatch(box, killed[0].session_id, "Again. [[ok]]", turn_id="t2")
    bench.finish_turns()
    assert bench.execution(killed[0].session_id, "t2").status == "completed"


def test_light_agents_and_a_dial_at_zero_lose_nobody() -> None:
    light = Bench(failure_share=0.0)
    (box,) = light.fleet()
    for number in range(12):
        backend = {"type": "codex", "model": "gpt-4.1-mini"}
        light.dispatch(box, f"agent-{number}", "Look. [[ok]]", backend=backend)
    light.finish_turns()
    assert endings(light) == {"completed": 12}
    dialled = Bench(failure_share=0.0)
    dialled.call("POST", "/_emulator/dials", {"memory_model": 0}, key=None)
    run_at_once(dialled, 12)
    assert endings(dialled) == {"completed": 12}


# Cold starts


def racing(**options: Any) -> Bench:
    bench = Bench(failure_share=0.0, **options)
    bench.world.dials.cold_start_race = 1
    return bench


def test_five_of_six_first_turns_on_a_cold_sandbox_are_refused() -> None:
    bench = racing()
    run_at_once(bench, 6)
    assert endings(bench) == {"MODEL_CREDENTIAL_SUPERSEDED": 5, "completed": 1}
    refused = [one for one in bench.world.executions.values() if one.status == "failed"]
    assert all(one.cost_nusd == 0 for one in refused)


def test_none_is_refused_when_one_goes_first() -> None:
    bench = racing()
    (box,) = bench.fleet()
    bench.dispatch(box, "first", "Look around. [[ok]]")
    first = bench.execution("first")
    bench.run_while(lambda: first.call == 0 and not bench.world.machines[box].warm)
    assert first.status == "running"
    for number in range(5):
        bench.dispatch(box, f"agent-{number}", "Look around. [[ok]]")
    bench.finish_turns()
    assert endings(bench) == {"completed": 6}


def test_machine_is_cold_again_after_a_stop_and_when_its_first_turn_failed() -> None:
    bench = racing()
    (box,) = bench.fleet()
    bench.dispatch(box, "broken", "Go. [[fail harness]]")
    bench.finish_turns()
    assert not bench.world.machines[box].warm
    bench.dispatch(box, "a", "Go. [[ok]]")
    bench.finish_turns()
    assert bench.world.machines[box].warm
    bench.call("POST", f"/sandbox/v1/sandboxes/{box}/stop")
    bench.call("POST", f"/sandbox/v1/sandboxes/{box}/resume")
    bench.run_for(5)
    for session in ("b", "c"):
        bench.dispatch(box, session, "Go. [[ok]]")
    bench.finish_turns()
    assert endings(bench)["MODEL_CREDENTIAL_SUPERSEDED"] == 1


# Harnesses


def test_failing_harness_fails_before_its_first_call_and_others_do_not() -> None:
    bench = Bench(failure_share=0.0)
    body = {"failing_harnesses": {"codex": 1, "pi": 0}}
    assert bench.call("POST", "/_emulator/dials", body, key=None).status == 200
    (box,) = bench.fleet()
    for harness in ("codex", "pi", "opencode"):
        backend = {"type": harness, "model": "gpt-4.1-mini"}
        bench.dispatch(box, harness, "Go.", backend=backend)
    bench.finish_turns()
    failed = bench.execution("codex")
    assert (failed.error_code, failed.cost_nusd) == ("HARNESS_START_FAILED", 0)
    assert {bench.execution(name).status for name in ("pi", "opencode")} == {"completed"}


def test_dial_of_an_unknown_harness_is_400() -> None:
    bench = Bench()
    body = {"failing_harnesses": {"clippy": 1}}
    assert bench.call("POST", "/_emulator/dials", body, key=None).status == 400
    shown = bench.call("GET", "/_emulator/state", key=None).json["dials"]
    assert shown["failing_harnesses"] == {}
    assert (shown["memory_model"], shown["cold_start_race"]) == (1, 0)
