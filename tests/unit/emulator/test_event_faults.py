"""Events that are lost, doubled or late, and agents that die on demand."""

from typing import Any

import pytest

from tests.unit.emulator.bench import Bench


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def strike(bench: Bench, **fault: object) -> None:
    assert bench.call("POST", "/_emulator/faults", fault, key=None).status == 200


def finished(bench: Bench, session: str = "s") -> str:
    (box,) = bench.fleet()
    bench.dispatch(box, session, "Read it. [[ok]]")
    bench.finish_turns()
    return box


def ids(bench: Bench, box: str) -> list[int]:
    return [int(data["#"]) for _name, data in bench.frames(box, "s")]


def test_dropped_event_is_missing_and_comes_at_the_next_read(bench: Bench) -> None:
    box = finished(bench)
    whole = ids(bench, box)
    strike(bench, operation="sessions.events", kind="drop_event", event=5, count=1)
    assert ids(bench, box) == [number for number in whole if number != 5]
    assert ids(bench, box) == whole


def test_duplicated_event_comes_twice(bench: Bench) -> None:
    box = finished(bench)
    whole = ids(bench, box)
    strike(bench, operation="sessions.events", kind="duplicate_event", event=7)
    assert ids(bench, box) == sorted([*whole, 7])


@pytest.mark.parametrize("struck", [3, -1])
def test_reordered_event_comes_after_the_next_one_and_the_last_at_the_end(
    bench: Bench, struck: int
) -> None:
    box = finished(bench)
    whole = ids(bench, box)
    number = whole[struck]
    strike(bench, operation="sessions.events", kind="reorder_event", event=number)
    found = ids(bench, box)
    assert sorted(found) == whole
    expected = number if struck == -1 else number + 1
    assert found[whole.index(number)] == expected


@pytest.mark.parametrize("kind", ["drop_event", "duplicate_event", "reorder_event"])
def test_events_struck_by_chance_are_the_same_for_the_same_seed(kind: str) -> None:
    found = []
    for _attempt in range(2):
        bench = Bench(failure_share=0.0)
        box = finished(bench)
        whole = ids(bench, box)
        strike(bench, operation="sessions.events", kind=kind, share=0.3)
        found.append(ids(bench, box))
    assert found[0] == found[1] != whole


def test_plain_answers_are_not_touched(bench: Bench) -> None:
    box = finished(bench)
    strike(bench, operation="*", kind="drop_event", share=1)
    assert bench.sessions(box)[0]["status"] == "completed"


def codes(bench: Bench) -> dict[str, Any]:
    return {one.session_id: one.error_code for one in bench.world.executions.values()}


def test_dispatched_agent_dies_of_memory_in_its_first_call(bench: Bench) -> None:
    (box,) = bench.fleet()
    strike(bench, operation="sessions.dispatch", kind="out_of_memory", count=1)
    for session in ("a", "b"):
        assert bench.dispatch(box, session, "Read it. [[ok]]").status == 202
    bench.finish_turns()
    assert codes(bench) == {"a": "OUT_OF_MEMORY", "b": None}
    assert bench.execution("a").cost_nusd > 0


def test_request_about_a_session_kills_the_agent_that_runs_in_it(bench: Bench) -> None:
    (box,) = bench.fleet()
    for session in ("a", "b"):
        bench.dispatch(box, session, "Read it. [[ok]]")
    bench.run_for(2)
    strike(bench, operation="sessions.state", kind="out_of_memory")
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/sessions/b"
    assert bench.call("GET", path).json["data"]["failureReason"]["errorCode"] == "OUT_OF_MEMORY"
    bench.finish_turns()
    assert codes(bench) == {"a": None, "b": "OUT_OF_MEMORY"}
    assert bench.world.account.held_nusd == 0


def test_request_about_a_machine_kills_its_largest_agent(bench: Bench) -> None:
    (box,) = bench.fleet()
    for session in ("a", "b", "c"):
        bench.dispatch(box, session, "Read it. [[ok]]")
    bench.run_for(3)
    largest = max(bench.world.executions.values(), key=lambda one: one.memory_mib)
    strike(bench, operation="sandboxes.get", kind="out_of_memory", count=1)
    bench.call("GET", f"/sandbox/v1/sandboxes/{box}")
    bench.finish_turns()
    expected = dict.fromkeys("abc") | {largest.session_id: "OUT_OF_MEMORY"}
    assert codes(bench) == expected
