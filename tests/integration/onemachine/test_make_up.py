"""`make up` in a copy of the tree: its whole life, as a person sees it."""

import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleetdash.onemachine import leftovers
from fleetdash.onemachine.holder import holder
from fleetdash.onemachine.pair import Pair, Running
from fleetdash.onemachine.ports import is_free
from fleetdash.onemachine.private_files import read_env
from tests.support.machine import Machine, command_line, copy_tree, eventually
from tests.support.prepared_pair import copy_of

_COUNT_USERS = (
    "from django.contrib.auth import get_user_model as model; print(model().objects.count())"
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_tree(tmp_path_factory.mktemp("checkout"))


@pytest.fixture
def machine(tree: Path, tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tree=tree, data=tmp_path / "var")
    yield machine
    assert machine.processes() == [], "the test left processes behind"


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _add_user(machine: Machine) -> None:
    words = "from django.contrib.auth import get_user_model as model;"
    machine.manage("shell", "-v", "0", "-c", f"{words} model().objects.create_user('yesterday')")


def test_ctrl_c_stops_everything_and_a_second_start_finds_yesterdays_data(machine: Machine) -> None:
    with machine.up() as up:
        said = up.said()
        password = re.search(r"Sign in as admin with (\S+)", said)
        assert password is not None
        assert f"http://localhost:{machine.port}" in said
        assert read_env(machine.data / "secrets.env")["FLEETDASH_ADMIN_PASSWORD"] == password[1]
        assert _mode(machine.data) == 0o700
        assert _mode(machine.data / "run.env") == _mode(machine.data / "secrets.env") == 0o600
        _add_user(machine)
        up.press_ctrl_c()
        up.process.wait(90)
        assert machine.processes() == []
        assert not (machine.data / "run.env").exists()
        assert holder(machine.data) == {}
        assert is_free(machine.port)
        assert is_free(machine.emulator_port)
    with machine.up(FLEETDASH_ADMIN_PASSWORD="chosen-too-late") as up:
        said = up.said()
        assert "chosen-too-late" not in said
        assert "FLEETDASH_ADMIN_PASSWORD counts only when the account is made" in said
        key = read_env(machine.data / "secrets.env")["FLEETDASH_EMULATOR_KEY"]
        assert not any(key in command_line(pid) for pid in machine.processes())
        assert machine.manage("shell", "-v", "0", "-c", _COUNT_USERS).strip() == "2"
        up.process.terminate()
        up.process.wait(90)
        assert machine.processes() == []


def test_a_killed_worker_comes_back_and_make_down_ends_it_all(
    machine: Machine, prepared_pair: Path
) -> None:
    copy_of(prepared_pair, machine.data)
    with machine.up() as up:
        worker = machine.pid_of("celery -A fleetdash worker")
        os.kill(worker, signal.SIGKILL)
        eventually(
            lambda: any(
                "celery -A fleetdash worker" in command_line(pid)
                for pid in machine.processes()
                if pid > worker
            )
        )
        second = machine.make("up")
        assert second.returncode != 0
        assert "already runs" in second.stderr
        assert up.process.poll() is None
        other = Machine(tree=machine.tree, data=machine.data.with_name("other"))
        other.port = machine.port
        taken = other.make("up")
        assert taken.returncode != 0
        assert f"Port {machine.port} is in use" in taken.stderr
        refused = machine.make("reset", YES="1")
        assert "make down" in refused.stderr
        down = machine.make("down")
        assert down.returncode == 0, down.stderr
        assert up.process.wait(90) == 0
        assert machine.processes() == []


def test_a_start_ends_what_was_left_and_killing_make_leaves_nothing(
    machine: Machine, prepared_pair: Path
) -> None:
    copy_of(prepared_pair, machine.data)
    wait = [sys.executable, "-c", "import time; time.sleep(300)"]
    stray = subprocess.Popen(wait, env=machine.environment() | leftovers.marked(machine.data))
    stranger = subprocess.Popen(wait, env=machine.environment())
    try:
        with machine.up() as up:
            assert "an earlier start left" in up.said()
            assert stray.poll() == -signal.SIGTERM
            assert stranger.poll() is None
            up.process.kill()
            eventually(lambda: machine.processes() == [], lambda: str(machine.processes()))
    finally:
        for process in (stray, stranger):
            process.kill()
            process.wait()


def test_named_servers_and_platform_are_used_and_a_killed_supervisor_leaves_nothing(
    machine: Machine, tmp_path: Path, prepared_pair: Path
) -> None:
    data = copy_of(prepared_pair, tmp_path / "elsewhere")
    elsewhere = Running(Pair.prepare(data, durable=False))
    platform = {
        "PLATFORM_SANDBOX_URL": "http://127.0.0.1:9/sandbox",
        "PLATFORM_ID_URL": "http://127.0.0.1:9/id",
        "PLATFORM_ROUTER_URL": "http://127.0.0.1:9/router/v1",
        "PLATFORM_API_KEY": "sk-tan-of-somebody",
        "FLEETDASH_ADMIN_PASSWORD": "chosen-by-hand-1",
    }
    try:
        with machine.up(**elsewhere.pair.environment(), **platform) as up:
            assert "Sign in as admin with chosen-by-hand-1" in up.said()
            assert "emulator" not in up.said()
            lines = "\n".join(map(command_line, machine.processes()))
            assert "uvicorn" in lines
            assert not any(word in lines for word in ("bin/postgres", "valkey-server", "emulator"))
            kept = (machine.data / "secrets.env").read_text()
            assert "chosen-by-hand" not in kept
            assert read_env(machine.data / "run.env")["REDIS_URL"] == elsewhere.pair.valkey.url
            # Nobody is left to pass the news on: make, what it runs and the supervisor die at once.
            supervisor = machine.pid_of("supervisor.supervisord")
            for pid in (int(holder(machine.data)["pid"]), supervisor, up.process.pid):
                os.kill(pid, signal.SIGKILL)
            eventually(lambda: machine.processes() == [], lambda: str(machine.processes()))
    finally:
        elsewhere.stop()
