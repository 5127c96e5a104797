"""Callers that stay and callers that leave, over real connections."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from emulator.config import Config
from emulator.server import EmulatorThread
from tests.unit.emulator.bench import ACCOUNT, turn_body


@pytest.fixture
def emulator() -> Iterator[EmulatorThread]:
    config = Config(control=True, pace="instant", rate_per_minute=0, failure_share=0.0)
    with EmulatorThread(config) as running:
        yield running


@pytest.fixture
def http(emulator: EmulatorThread) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {ACCOUNT}"}
    with httpx.Client(
        base_url=emulator.base_url, headers=headers, timeout=20, verify=False
    ) as client:
        yield client


def eventually(holds: Callable[[], Any]) -> Any:
    ends = time.monotonic() + 60
    while not (found := holds()):
        assert time.monotonic() < ends
        time.sleep(0.01)
    return found


def boxes_of(http: httpx.Client, *, machines: int = 1) -> list[str]:
    body = {"fleetId": "f", "machines": [{"machineId": f"m{n}"} for n in range(machines)]}
    assert http.post("/sandbox/v1/fleets", json=body).status_code == 201
    fleet = eventually(
        lambda: [
            one
            for one in [http.get("/sandbox/v1/fleets/f").json()["fleet"]]
            if one["status"] == "running"
        ]
    )[0]
    return [one["sandboxId"] for one in fleet["machines"]]


def attached(prompt: str) -> dict[str, Any]:
    return {**turn_body("s", prompt), "detach": False}


def test_stream_dropped_by_its_caller_stops_the_turn(
    emulator: EmulatorThread, http: httpx.Client
) -> None:
    (box,) = boxes_of(http)
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents"
    with http.stream("POST", f"{path}/run/stream", json=attached("Go. [[slow 60]]")) as reply:
        first = next(reply.iter_lines())
        assert first == "id: 1"
    state = eventually(
        lambda: [
            one
            for one in [http.get(f"{path}/sessions/s").json()["data"]]
            if one["activeExecutionId"] is None
        ]
    )[0]
    assert state["status"] == "cancelled"


def test_blocking_run_left_by_its_caller_stops_too(
    emulator: EmulatorThread, http: httpx.Client
) -> None:
    (box,) = boxes_of(http)
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents"
    with pytest.raises(httpx.ReadTimeout):
        http.post(f"{path}/run", json=attached("Go. [[slow 20]]"), timeout=0.3)
    state = eventually(
        lambda: [
            one
            for one in [http.get(f"{path}/sessions/s").json()["data"]]
            if one["activeExecutionId"] is None
        ]
    )[0]
    assert state["status"] == "cancelled"


def test_reader_of_a_detached_turn_may_leave(emulator: EmulatorThread, http: httpx.Client) -> None:
    (box,) = boxes_of(http)
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents"
    assert http.post(f"{path}/run/stream", json=turn_body("s", "Go. [[slow 1]]")).status_code == 202
    with http.stream("GET", f"{path}/sessions/s/events") as reply:
        next(reply.iter_lines())
    eventually(lambda: http.get(f"{path}/sessions/s").json()["data"]["status"] == "completed")


def test_twelve_commands_take_two_waves_in_one_request_and_one_in_two(
    emulator: EmulatorThread, http: httpx.Client
) -> None:
    boxes_of(http, machines=12)
    names = [f"m{number}" for number in range(12)]

    def execute(machines: list[str]) -> int:
        body = {"type": "exec", "command": "sleep 1", "machines": machines}
        answer = http.post("/sandbox/v1/fleets/f/dispatch", json=body).json()
        return sum(row["ok"] for row in answer["results"])

    def timed(parts: list[list[str]]) -> float:
        begun = time.monotonic()
        with ThreadPoolExecutor(len(parts)) as pool:
            assert sum(pool.map(execute, parts)) == 12
        return time.monotonic() - begun

    together = timed([names])
    assert together >= 2.0
    # A machine with other things to do may stop this process for a second, but not each time.
    at_once = (timed([names[:6], names[6:]]) for _ in range(10))
    assert any(1.0 <= took_s < together for took_s in at_once)


def test_jump_of_the_clock_ends_a_turn_and_its_stream(
    emulator: EmulatorThread, http: httpx.Client
) -> None:
    (box,) = boxes_of(http)
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents"
    http.post(f"{path}/run/stream", json=turn_body("s", "Go. [[slow 900]]"))
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(lambda: http.get(f"{path}/sessions/s/events").text)
        http.post("/_emulator/clock", json={"advanceS": 901})
        assert "event: done" in reading.result(60)
