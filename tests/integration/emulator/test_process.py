"""The emulator as a process: its one line, its signals, its state file."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from emulator.config import DEFAULT_ACCOUNT_KEY
from tests.unit.emulator.bench import read_frames, turn_body

ROOT = Path(__file__).parents[3]
HEADERS = {"Authorization": f"Bearer {DEFAULT_ACCOUNT_KEY}"}


@contextmanager
def emulator(*options: str) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A running process and a client of it; killed at the end if it still runs."""
    command = [sys.executable, "-m", "emulator", "--port", "0", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("emulator listening on http://127.0.0.1:")
        url = line.rpartition(" ")[2].strip()
        with httpx.Client(base_url=url, headers=HEADERS, timeout=60, verify=False) as client:
            try:
                yield process, client
            finally:
                process.kill()


def start_turn(client: httpx.Client, prompt: str) -> str:
    """The session's path after its turn was admitted."""
    body = {"fleetId": "fleet-a", "machines": [{"machineId": "m1"}]}
    fleet = client.post("/sandbox/v1/fleets", json=body).json()["fleet"]
    base = f"/sandbox/v1/sandboxes/{fleet['machines'][0]['sandboxId']}/runtime/agents"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if client.post(f"{base}/run/stream", json=turn_body("s", prompt)).status_code == 202:
            return f"{base}/sessions/s"
        time.sleep(0.01)
    raise AssertionError("no machine")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_at_once_although_a_stream_is_open(number: int) -> None:
    with emulator("--pace", "instant") as (process, client):
        session = start_turn(client, "Go. [[slow 60]]")
        reading = threading.Event()

        def read() -> None:
            with client.stream("GET", f"{session}/events") as stream:
                for _piece in stream.iter_text():
                    reading.set()

        reader = threading.Thread(target=read)
        reader.start()
        assert reading.wait(60)
        process.send_signal(number)
        # Long before the turn and its stream would end by themselves.
        assert process.wait(50) == 0
        reader.join(60)


def test_turn_survives_kill_nine(tmp_path: Path) -> None:
    options = ("--pace", "instant", "--control", "--state", str(tmp_path / "world.db"))
    with emulator(*options) as (process, client):
        session = start_turn(client, "Go. [[slow 200]] [[ok]]")
        client.post("/_emulator/clock", json={"advanceS": 100})
        with client.stream("GET", f"{session}/events") as stream:
            heard = read_frames(next(stream.iter_text()))
            process.kill()
        process.wait(60)
    with emulator(*options) as (process, client):
        assert client.get(session).json()["data"]["status"] == "running"
        client.post("/_emulator/clock", json={"advanceS": 150})
        frames = read_frames(client.get(f"{session}/events").text)
        # What was told before is told again, word for word.
        assert len(heard) > 1
        assert frames[: len(heard)] == heard
        numbers = [data["#"] for _name, data in frames]
        assert numbers == [str(number + 1) for number in range(len(frames))]
        assert frames[-1][0] == "done"


def test_port_in_use_ends_it_with_an_error() -> None:
    with emulator() as (_process, client):
        port = str(client.base_url.port)
        command = [sys.executable, "-m", "emulator", "--port", port]
        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert second.returncode != 0
        assert "listening" not in second.stdout
