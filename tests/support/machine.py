"""A copy of this tree in which `make up` runs as it would for a person."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fleetdash.onemachine import leftovers
from fleetdash.onemachine.ports import free_port
from fleetdash.onemachine.programs import tied
from fleetdash.onemachine.readiness import is_ok

ROOT = Path(__file__).resolve().parents[2]
# What a login shell has. Nothing of the test run's own settings may leak into the copy.
_KEPT = ("PATH", "HOME", "LANG", "USER", "TMPDIR", "PYENV_ROOT")
_LIMIT_S = 300


def copy_tree(target: Path) -> Path:
    """Copy what git knows or would know, what is compiled of it, and no data."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        source = ROOT / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)
    _copy_compiled(target)
    return target


def _copy_compiled(target: Path) -> None:
    """Spare the many processes of a start from compiling what is compiled already."""
    for package in ("emulator", "fleetdash", "fleets"):
        for source in (ROOT / package).rglob("__pycache__/*.pyc"):
            copy = target / source.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)


@dataclass
class Machine:
    """One copy with one data folder and ports of its own."""

    tree: Path
    data: Path
    port: int = field(default_factory=free_port)
    emulator_port: int = field(default_factory=free_port)

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        own = {
            "FLEETDASH_VENV": sys.prefix,
            "PYTHON": sys.executable,
            "FLEETDASH_VAR": str(self.data),
            "PORT": str(self.port),
            "EMULATOR_PORT": str(self.emulator_port),
        }
        return kept | own | more

    def make(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run `make` to its end."""
        return subprocess.run(
            ["make", *words],
            cwd=self.tree,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )

    def manage(self, *words: str) -> str:
        """Run `manage.py` as in a second shell, where no variable is set; its output."""
        environment = {
            name: value for name, value in self.environment().items() if not name.startswith("PORT")
        }
        result = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=self.tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    @contextmanager
    def up(self, **more: str) -> Iterator["Up"]:
        """`make up` in the background, ready; ended at the latest with the block."""
        output = self.tree.parent / f"{self.data.name}-{time.monotonic_ns()}.out"
        with output.open("w") as file:
            process = subprocess.Popen(
                tied(("make", "up")),
                cwd=self.tree,
                env=self.environment(**more),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            running = Up(self, process, output)
            running.wait_until_ready()
            yield running
        finally:
            process.kill()
            process.wait()
            leftovers.stop(leftovers.find(self.data), grace_s=30)

    def processes(self) -> list[int]:
        """Everything that still runs for this data folder."""
        return leftovers.find(self.data)

    def pid_of(self, words: str) -> int:
        """The oldest process of this machine whose command line holds `words`."""
        return min(pid for pid in self.processes() if words in command_line(pid))


@dataclass
class Up:
    """A running `make up`."""

    machine: Machine
    process: subprocess.Popen[bytes]
    output: Path

    def said(self) -> str:
        return self.output.read_text()

    def wait_until_ready(self) -> None:
        ready = f"http://127.0.0.1:{self.machine.port}/healthz/ready"

        def is_ready() -> bool:
            assert self.process.poll() is None, self.said()
            return is_ok(ready) and "Sign in as admin" in self.said()

        eventually(is_ready, self.said)

    def press_ctrl_c(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def eventually(holds: Callable[[], bool], why: Callable[[], str] = lambda: "") -> None:
    """Wait until `holds`; fails with `why` after a long while."""
    deadline = time.monotonic() + _LIMIT_S
    while not holds():
        assert time.monotonic() < deadline, why()
        time.sleep(0.1)
