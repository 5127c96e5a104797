"""The router's pre-authorisation as a fleet meets it (contract 11)."""

from decimal import Decimal

import pytest

from tests.unit.emulator.bench import Bench


def run_agents(seed: int, *, at_once: int, agents: int = 4) -> Bench:
    """That many agents under $0.25, at most `at_once` in flight, each on its own session."""
    bench = Bench(seed=seed, failure_share=0.0)
    _key_id, secret = bench.mint(0.25)
    (box,) = bench.fleet(key=secret)
    waiting = [f"agent-{number}" for number in range(1, agents + 1)]

    def in_flight() -> int:
        return sum(one.status == "running" for one in bench.world.executions.values())

    while waiting or in_flight():
        while waiting and in_flight() < at_once:
            session = waiting.pop(0)
            bench.dispatch(box, session, f"{session}: read the code.", key=secret)
        count = in_flight()
        bench.run_while(lambda: in_flight() == count)  # noqa: B023
    return bench


def refused(bench: Bench) -> list[str]:
    return [
        one.session_id
        for one in bench.world.executions.values()
        if one.error_code == "budget_exceeded"
    ]


def spent_at_first_refusal(bench: Bench) -> int:
    """What the key had spent when the first turn was refused."""
    first_ms = min(
        one.ended_ms or 0
        for one in bench.world.executions.values()
        if one.error_code == "budget_exceeded"
    )
    return sum(
        row.amount_nusd
        for row in bench.world.ledger.entries
        if row.kind in ("settle", "compute") and row.at_ms <= first_ms
    )


@pytest.mark.parametrize("seed", [1, 2, 3, 7, 11])
def test_four_at_once_under_a_quarter_are_refused_near_fourteen_thousandths(seed: int) -> None:
    bench = run_agents(seed, at_once=4)
    assert refused(bench)
    assert 11_000_000 <= spent_at_first_refusal(bench) <= 19_000_000


@pytest.mark.parametrize("at_once", [1, 2])
def test_one_or_two_at_once_are_not_refused(at_once: int) -> None:
    bench = run_agents(7, at_once=at_once, agents=12)
    assert refused(bench) == []
    assert all(one.status == "completed" for one in bench.world.executions.values())


def test_refused_turn_ends_with_an_error_event_of_its_code() -> None:
    bench = Bench()
    _key_id, secret = bench.mint(0.01)
    (box,) = bench.fleet(key=secret)
    bench.dispatch(box, "s", key=secret)
    bench.finish_turns()
    names = [name for name, _data in bench.frames(box, "s")]
    assert names[-2:] == ["error", "done"]
    error = dict(bench.frames(box, "s"))["error"]
    assert error["errorCode"] == "budget_exceeded"
    assert bench.sessions(box)[0]["failureReason"]["errorCode"] == "budget_exceeded"
    assert bench.sessions(box)[0]["costUsd"] == 0


def test_profile_that_limits_output_holds_less() -> None:
    bench = Bench()
    _key_id, secret = bench.mint(0.02)
    (box,) = bench.fleet(key=secret)
    profile = {"name": "short", "model": {"maxTotalOutputTokens": 1000}}
    backend = {"type": "opencode", "model": "gpt-4.1-mini", "profile": profile}
    bench.dispatch(box, "s", key=secret, backend=backend)
    bench.finish_turns()
    assert bench.execution("s").error_code is None


def test_spend_on_the_key_is_the_sum_of_turns_and_compute() -> None:
    bench = Bench()
    key_id, secret = bench.mint(3)
    boxes = bench.fleet(key=secret, machines=3)
    for index, box in enumerate(boxes):
        bench.dispatch(box, f"s{index}", "Read it.", key=secret)
    bench.finish_turns()
    row = bench.call("GET", f"/id/v1/keys/{key_id}").json["data"]
    turns = sum(one.cost_nusd for one in bench.world.executions.values())
    compute = sum(one.amount_nusd for one in bench.world.ledger.entries if one.kind == "compute")
    assert row["budgetSpent"] == Decimal(turns + compute) / 10**9
    assert row["budgetRemaining"] == 3 - row["budgetSpent"]


def test_cut_off_lets_only_calls_in_flight_settle() -> None:
    bench = Bench(failure_share=0.0)
    key_id, secret = bench.mint(3)
    (box,) = bench.fleet(key=secret)
    for number in range(6):
        bench.dispatch(box, f"s{number}", "Read it. [[calls 5]]", key=secret)
    bench.run_for(3)
    cut_ms = bench.clock.at_ms
    row = bench.call("PATCH", f"/id/v1/keys/{key_id}", {"budgetUsd": 0}).json["data"]
    assert row["budgetRemaining"] == 0
    bench.run_for(60)
    entries = bench.world.ledger.entries
    charges = [one for one in entries if one.key_id == key_id and one.at_ms > cut_ms]
    assert {one.kind for one in charges} <= {"settle", "release"}
    assert all((one.held_ms or 0) <= cut_ms for one in charges if one.kind == "settle")
    assert len(refused(bench)) == 6
    outside = [one for one in entries if one.outside_of == key_id]
    assert sum(one.amount_nusd for one in outside) > 0


def test_unservable_model_fails_the_turn() -> None:
    bench = Bench()
    (box,) = bench.fleet()
    bench.dispatch(box, "s", model="nobody/knows-it")
    bench.finish_turns()
    assert bench.execution("s").error_code == "provider_inference_unavailable"
    assert bench.execution("s").cost_nusd == 0


def test_model_that_the_key_does_not_allow_fails_the_turn() -> None:
    bench = Bench()
    body = {"name": "k", "budgetUsd": 1, "allowedModels": ["gpt-4.1"]}
    secret = bench.call("POST", "/id/v1/keys", body).json["data"]["key"]
    (box,) = bench.fleet(key=secret)
    bench.dispatch(box, "s", key=secret)
    bench.finish_turns()
    assert bench.execution("s").error_code == "MODEL_NOT_ALLOWED"


def test_revoked_key_stops_a_turn_at_its_next_call() -> None:
    bench = Bench()
    key_id, secret = bench.mint(3)
    (box,) = bench.fleet(key=secret)
    bench.dispatch(box, "s", "Read. [[ok]] [[calls 5]]", key=secret)
    bench.run_for(2)
    assert bench.call("DELETE", f"/id/v1/keys/{key_id}").status == 200
    bench.finish_turns()
    assert bench.execution("s").error_code == "UNAUTHORIZED"
    assert bench.call("GET", "/sandbox/v1/fleets", key=secret).status == 401
