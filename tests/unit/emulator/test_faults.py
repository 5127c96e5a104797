import pytest

from tests.unit.emulator.bench import Bench


def strike(bench: Bench, **fault: object) -> None:
    assert bench.call("POST", "/_emulator/faults", fault, key=None).status == 200


def test_error_does_nothing_and_counts_down() -> None:
    bench = Bench()
    strike(bench, operation="fleets.create", kind="error", status=503, count=1)
    body = {"machines": [{"machineId": "m"}]}
    assert bench.call("POST", "/sandbox/v1/fleets", body).status == 503
    assert bench.world.fleets == {}
    assert bench.call("POST", "/sandbox/v1/fleets", body).status == 201


def test_rate_limit_fault_says_when_to_come_back() -> None:
    bench = Bench()
    strike(bench, operation="*", kind="rate_limit", retryAfter=7)
    reply = bench.call("GET", "/sandbox/v1/fleets")
    assert (reply.status, reply.headers["retry-after"]) == (429, "7")


def test_fault_matches_by_path_and_lets_the_first_ones_through() -> None:
    bench = Bench()
    first, second = bench.fleet(machines=2)
    strike(bench, operation="sandboxes.get", kind="error", match=second, skip=1)
    statuses = [bench.call("GET", f"/sandbox/v1/sandboxes/{one}").status
                for one in (first, second, second, first)]  # fmt: skip
    assert statuses == [200, 200, 502, 200]


@pytest.mark.parametrize("order", [1, -1])
def test_chance_depends_on_the_request_and_not_on_order(order: int) -> None:
    bench = Bench()
    (box,) = bench.fleet()
    strike(bench, operation="sessions.dispatch", kind="error", probability=0.5)
    struck = {
        name
        for name in [f"s{number}" for number in range(40)][::order]
        if bench.dispatch(box, name).status == 502
    }
    again = Bench()
    (box,) = again.fleet()
    strike(again, operation="sessions.dispatch", kind="error", probability=0.5)
    assert struck == {
        name for name in (f"s{number}" for number in range(40))
        if again.dispatch(box, name).status == 502
    }  # fmt: skip
    assert 8 < len(struck) < 32


def test_cleared_faults_strike_no_more() -> None:
    bench = Bench()
    strike(bench, operation="*", kind="error")
    assert bench.call("DELETE", "/_emulator/faults", key=None).json == {"removed": 1}
    assert bench.call("GET", "/sandbox/v1/fleets").status == 200


def test_unknown_kind_of_fault_is_400() -> None:
    fault = {"operation": "*", "kind": "gremlin"}
    assert Bench().call("POST", "/_emulator/faults", fault, key=None).status == 400


def test_journal_tells_what_was_admitted() -> None:
    bench = Bench()
    (box,) = bench.fleet()
    bench.dispatch(box, "s")
    bench.dispatch(box, "s")
    path = "/_emulator/journal?operation=sessions.dispatch"
    first, second = bench.call("GET", path, key=None).json["entries"]
    assert (first["admitted"], second["admitted"]) == (True, False)
    assert first["executionId"] == second["executionId"]
    assert (first["turnId"], first["status"], first["keyId"]) == ("t1-1", 202, "key-account")


def test_reset_empties_the_world_and_keeps_the_account_key() -> None:
    bench = Bench()
    bench.fleet()
    assert bench.call("POST", "/_emulator/reset", {}, key=None).status == 200
    assert bench.call("GET", "/sandbox/v1/fleets").json == {"fleets": [], "total": 0}


def test_dials_and_clock_can_be_turned() -> None:
    bench = Bench()
    assert bench.call("POST", "/_emulator/dials", {"failure_share": 1}, key=None).status == 200
    assert bench.world.dials.failure_share == 1.0
    assert bench.call("POST", "/_emulator/dials", {"mood": 1}, key=None).status == 400
    assert bench.call("POST", "/_emulator/clock", {"advanceS": 5}, key=None).status == 200
    assert bench.call("POST", "/_emulator/clock", {"advanceS": -5}, key=None).status == 400
