"""Faults as a client meets them on a real connection."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from emulator.config import Config
from emulator.server import EmulatorThread
from tests.unit.emulator.bench import read_frames, turn_body

FLEET = {"fleetId": "fleet-a", "machines": [{"machineId": "m1"}]}


@pytest.fixture
def emulator() -> Iterator[EmulatorThread]:
    with EmulatorThread(Config(control=True, pace="instant", failure_share=0.0)) as running:
        yield running


@pytest.fixture
def client(emulator: EmulatorThread) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {emulator.config.account_key}"}
    with httpx.Client(
        base_url=emulator.base_url, headers=headers, timeout=20, verify=False
    ) as found:
        yield found


def control(client: httpx.Client, name: str, body: dict[str, Any]) -> Any:
    reply = client.post(f"/_emulator/{name}", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def running_box(client: httpx.Client) -> str:
    client.post("/sandbox/v1/fleets", json=FLEET)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        fleet = client.get("/sandbox/v1/fleets/fleet-a").json()["fleet"]
        if fleet["status"] == "running":
            return str(fleet["machines"][0]["sandboxId"])
    raise AssertionError("the machine did not come up")


def journal(client: httpx.Client, operation: str) -> list[Any]:
    found: list[Any] = client.get(f"/_emulator/journal?operation={operation}").json()["entries"]
    return found


def test_reset_closes_without_an_answer_and_without_doing_it(client: httpx.Client) -> None:
    control(client, "faults", {"operation": "fleets.create", "kind": "reset", "count": 1})
    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        client.post("/sandbox/v1/fleets", json=FLEET)
    assert client.get("/sandbox/v1/fleets").json()["total"] == 0
    assert journal(client, "fleets.create")[0]["status"] is None


def test_truncated_answer_is_done_and_breaks_off(client: httpx.Client) -> None:
    control(client, "faults", {"operation": "fleets.create", "kind": "truncate"})
    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        client.post("/sandbox/v1/fleets", json=FLEET)
    assert client.get("/sandbox/v1/fleets").json()["total"] == 1


def test_truncated_stream_ends_before_its_terminal_frame(client: httpx.Client) -> None:
    box = running_box(client)
    client.post(
        f"/sandbox/v1/sandboxes/{box}/runtime/agents/run/stream", json=turn_body("s", "Read it.")
    )
    fault = {"operation": "sessions.events", "kind": "truncate", "afterBytes": 2000, "count": 1}
    control(client, "faults", fault)
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/sessions/s/events"
    pieces: list[str] = []
    with (
        pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)),
        client.stream("GET", path) as stream,
    ):
        pieces.extend(stream.iter_text())
    assert len("".join(pieces)) == 2000
    whole = read_frames(client.get(path).text)
    assert whole[-1][0] == "done"


def test_timed_out_but_happened(client: httpx.Client) -> None:
    fault = {"operation": "fleets.create", "kind": "timed_out_but_happened", "count": 1}
    control(client, "faults", fault)
    # Long enough for a slow machine to read the request; the answer would never come.
    with pytest.raises(httpx.ReadTimeout):
        client.post("/sandbox/v1/fleets", json=FLEET, timeout=httpx.Timeout(20, read=1.5))
    assert client.get("/sandbox/v1/fleets").json()["total"] == 1


def test_latency_delays_the_answer(client: httpx.Client) -> None:
    control(client, "faults", {"operation": "fleets.list", "kind": "latency", "latencyMs": 120})
    began = time.monotonic()
    assert client.get("/sandbox/v1/fleets").status_code == 200
    assert time.monotonic() - began > 0.1


@pytest.mark.parametrize(("when", "done"), [("before", 0), ("after", 1)])
def test_held_request_is_known_before_it_is_answered(
    client: httpx.Client, when: str, done: int
) -> None:
    fault = {"operation": "fleets.create", "kind": "hold_until_released", "when": when}
    control(client, "faults", fault)
    answers: list[httpx.Response] = []
    sender = threading.Thread(
        target=lambda: answers.append(client.post("/sandbox/v1/fleets", json=FLEET))
    )
    sender.start()
    assert control(client, "wait-for", {"operation": "fleets.create", "count": 1})["reached"]
    assert client.get("/sandbox/v1/fleets").json()["total"] == done
    assert not answers
    assert len(client.get("/_emulator/held").json()["held"]) == 1
    assert control(client, "release", {}) == {"released": 1}
    sender.join(60)
    assert answers[0].status_code == 201


def test_dropped_request_is_never_done(client: httpx.Client) -> None:
    control(client, "faults", {"operation": "fleets.create", "kind": "hold_until_released"})
    errors: list[Exception] = []

    def send() -> None:
        try:
            client.post("/sandbox/v1/fleets", json=FLEET)
        except httpx.TransportError as error:
            errors.append(error)

    sender = threading.Thread(target=send)
    sender.start()
    control(client, "wait-for", {"operation": "fleets.create", "count": 1})
    control(client, "release", {"drop": True})
    sender.join(60)
    assert errors
    assert client.get("/sandbox/v1/fleets").json()["total"] == 0


def test_wait_for_what_never_comes_ends(client: httpx.Client) -> None:
    waited = control(client, "wait-for", {"operation": "keys.mint", "count": 1, "timeoutMs": 50})
    assert waited == {"reached": False, "count": 0}


def test_stream_follows_a_turn_to_its_end(client: httpx.Client) -> None:
    box = running_box(client)
    base = f"/sandbox/v1/sandboxes/{box}/runtime/agents"
    body = turn_body("s", "Read it. [[slow 0.5]]")
    assert client.post(f"{base}/run/stream", json=body).status_code == 202
    began = time.monotonic()
    with client.stream("GET", f"{base}/sessions/s/events") as stream:
        frames = read_frames("".join(stream.iter_text()))
    assert frames[-1][0] == "done"
    assert time.monotonic() - began > 0.3


def test_stalled_stream_stays_open_and_says_nothing_more(client: httpx.Client) -> None:
    box = running_box(client)
    agents = f"/sandbox/v1/sandboxes/{box}/runtime/agents"
    client.post(f"{agents}/run/stream", json=turn_body("s", "Look. [[ok]]"))
    fault = {"operation": "sessions.events", "kind": "stall_stream", "afterEvents": 3, "count": 1}
    control(client, "faults", fault)
    got: list[str] = []

    def read_all() -> None:
        with client.stream("GET", f"{agents}/sessions/s/events", timeout=2) as reply:
            got.extend(reply.iter_text())

    with pytest.raises(httpx.ReadTimeout):
        read_all()
    assert [data["#"] for _name, data in read_frames("".join(got))] == ["1", "2", "3"]
    whole = client.get(f"{agents}/sessions/s/events").text
    assert read_frames(whole)[-1][0] == "done"
