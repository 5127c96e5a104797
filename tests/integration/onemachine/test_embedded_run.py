"""`python -m fleetdash.embedded run -- COMMAND`."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from fleetdash.onemachine import leftovers
from tests.support.machine import ROOT, eventually

_RUN = (sys.executable, "-m", "fleetdash.embedded", "run")


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*_RUN, *words], cwd=ROOT, capture_output=True, text=True, timeout=180, check=False
    )


def test_the_command_gets_both_addresses_and_its_exit_code_comes_back(tmp_path: Path) -> None:
    look = "import os, sys; print(os.environ['DATABASE_URL'], os.environ['REDIS_URL']); sys.exit(7)"
    result = _run("--data", str(tmp_path), "--", sys.executable, "-c", look)
    assert result.returncode == 7, result.stderr
    assert "postgres://fleetdash:" in result.stdout
    assert "redis://:" in result.stdout
    assert leftovers.find(tmp_path) == []


def test_without_a_data_folder_nothing_stays_behind() -> None:
    look = "import os; print(os.environ['FLEETDASH_PAIR'])"
    result = _run("--", sys.executable, "-c", look)
    assert result.returncode == 0, result.stderr
    folder = Path(result.stdout.strip())
    assert folder.parent == Path(tempfile.gettempdir())
    assert not folder.exists()


def test_fresh_forgets_the_data_of_the_run_before_and_nothing_else(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("keep")
    _run("--data", str(tmp_path), "--", "true")
    before = (tmp_path / "postgres").stat().st_ino
    _run("--data", str(tmp_path), "--", "true")
    assert (tmp_path / "postgres").stat().st_ino == before
    notes = (tmp_path / "embedded.json").read_text()
    _run("--data", str(tmp_path), "--fresh", "--", "true")
    assert (tmp_path / "embedded.json").read_text() != notes
    assert mine.read_text() == "keep"


def test_sigterm_ends_the_command_and_then_the_servers(tmp_path: Path) -> None:
    wait = "import time; print('here', flush=True); time.sleep(60)"
    process = subprocess.Popen(
        [*_RUN, "--data", str(tmp_path), "--", sys.executable, "-c", wait],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(120) == 128 + signal.SIGTERM
    process.stdout.close()
    assert leftovers.find(tmp_path) == []


def test_a_killed_runner_takes_command_and_servers_along(tmp_path: Path) -> None:
    wait = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    process = subprocess.Popen(
        [*_RUN, "--data", str(tmp_path), "--", sys.executable, "-c", wait],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    command = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    eventually(lambda: leftovers.find(tmp_path) == [] and not leftovers.alive(command))


def test_a_command_that_does_not_exist_is_a_failure(tmp_path: Path) -> None:
    result = _run("--data", str(tmp_path), "--", "no-such-command-anywhere")
    assert result.returncode != 0
    assert "no-such-command-anywhere" in result.stderr
    assert "Traceback" not in result.stderr
