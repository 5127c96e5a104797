"""`--exec`: commands of machines run on this computer, each machine in a folder of its own."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from emulator.__main__ import read_arguments
from emulator.config import DEFAULT_ACCOUNT_KEY, Config
from emulator.server import EmulatorThread

MACHINES = 3


@pytest.fixture
def emulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatorThread]:
    monkeypatch.setenv("SECRET_KEY", "of the emulator's own process")
    config = Config(control=True, pace="instant", exec_root=tmp_path / "machines")
    with EmulatorThread(config) as running:
        yield running


def call(emulator: EmulatorThread, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {DEFAULT_ACCOUNT_KEY}"}
    url = f"{emulator.sandbox_url}/v1{path}"
    reply = httpx.request(method, url, json=body, headers=headers, timeout=30, verify=False)
    return reply.status_code, reply.json()


def machines(emulator: EmulatorThread) -> list[str]:
    names = [{"machineId": f"m{number}", "env": {"MINE": "1"}} for number in range(MACHINES)]
    _status, made = call(emulator, "POST", "/fleets", {"fleetId": "f", "machines": names})
    until_s = time.monotonic() + 60
    while call(emulator, "GET", "/fleets/f")[1]["fleet"]["status"] != "running":
        assert time.monotonic() < until_s
        time.sleep(0.01)
    return [one["sandboxId"] for one in made["fleet"]["machines"]]


def folder(emulator: EmulatorThread, box: str) -> Path:
    assert emulator.config.exec_root is not None
    return emulator.config.exec_root / box


def run(emulator: EmulatorThread, box: str, command: str, **more: Any) -> Any:
    path = f"/sandboxes/{box}/runtime/terminals/commands"
    status, body = call(emulator, "POST", path, {"command": command, **more})
    return body["result"] if status == 200 else (status, body["code"])


def test_command_is_real_and_sees_its_own_machine_only(emulator: EmulatorThread) -> None:
    first, second, _third = machines(emulator)
    files = f"/sandboxes/{first}/runtime/files"
    call(emulator, "POST", f"{files}/write", {"path": "a/b.txt", "content": "one\ntwo\n"})
    counted = run(emulator, first, "wc -l < a/b.txt | tr -d ' '; echo $((6 * 7)) > c; exit 3")
    assert (counted["exitCode"], counted["stdout"]) == (3, "2\n")
    assert call(emulator, "POST", f"{files}/read", {"path": "c"})[1]["data"]["content"] == "42\n"
    assert run(emulator, second, "cat a/b.txt")["exitCode"] == 1
    assert call(emulator, "POST", f"{files}/read", {"path": "../../../etc/passwd"})[0] == 400
    os.symlink("/etc/passwd", folder(emulator, first) / "workspace" / "link")
    assert call(emulator, "POST", f"{files}/read", {"path": "link"})[0] == 400


def test_environment_holds_nothing_of_the_emulators_own(emulator: EmulatorThread) -> None:
    first, *_others = machines(emulator)
    shown = run(emulator, first, "env", env={"ASKED": "2"})["stdout"]
    variables = dict(line.split("=", 1) for line in shown.splitlines())
    assert "SECRET_KEY" not in variables
    assert (variables["MINE"], variables["ASKED"]) == ("1", "2")
    assert variables["TANGLE_SANDBOX_ID"] == first
    assert variables["HOME"].startswith(str(emulator.config.exec_root))


def test_long_command_is_killed_with_all_that_it_began(emulator: EmulatorThread) -> None:
    first, *_others = machines(emulator)
    started_s = time.monotonic()
    command = "sleep 30 & echo $! > pid; sleep 30"
    assert run(emulator, first, command, timeout=300) == (504, "EXEC_TIMEOUT")
    assert time.monotonic() - started_s < 25
    pid = int(run(emulator, first, "cat pid")["stdout"])
    assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text()


def test_output_is_bounded_and_may_be_binary(emulator: EmulatorThread) -> None:
    first, *_others = machines(emulator)
    result = run(emulator, first, "head -c 3000000 /dev/zero | tr '\\0' x; printf '\\377' >&2")
    assert (result["exitCode"], len(result["stdout"])) == (0, 1_048_576)
    assert result["stderr"] == "\ufffd"


def test_exec_dispatch_runs_on_every_machine_and_is_kept(emulator: EmulatorThread) -> None:
    boxes = machines(emulator)
    body = {"type": "exec", "command": "echo $TANGLE_SANDBOX_ID"}
    _status, done = call(emulator, "POST", "/fleets/f/dispatch", body)
    assert [row["result"]["stdout"].strip() for row in done["results"]] == boxes
    assert call(emulator, "GET", f"/fleets/f/dispatch/{done['dispatchId']}")[1] == done


def test_folder_goes_with_its_machine(emulator: EmulatorThread) -> None:
    first, *_others = machines(emulator)
    run(emulator, first, "echo here > a")
    assert folder(emulator, first).exists()
    call(emulator, "DELETE", f"/sandboxes/{first}")
    assert not folder(emulator, first).exists()


def test_real_commands_are_refused_on_an_open_address(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read_arguments(["--exec", "machines", "--host", "0.0.0.0"])
    assert "loopback" in capsys.readouterr().err
    assert read_arguments(["--exec", "machines"]).exec_root == Path("machines")
