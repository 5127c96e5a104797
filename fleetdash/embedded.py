"""Postgres and Valkey for one machine, out of two wheels, for as long as a command runs.

    python -m fleetdash.embedded run [--data DIR] [--fresh] -- COMMAND…

starts both, sets `DATABASE_URL` and `REDIS_URL` for COMMAND (and `FLEETDASH_PAIR`, the folder),
runs it, stops both and returns its exit code. Without `--data` the data lives in a temporary folder
and goes with the command. This is for tests and tools: the servers trade safety for speed. `make
up` runs the same two servers durably, under a supervisor (`fleetdash.onemachine`).
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from fleetdash.onemachine import launch
from fleetdash.onemachine.binaries import discard_copy
from fleetdash.onemachine.pair import Pair, Running, stop_strays
from fleetdash.onemachine.refusals import Refusal

_OURS = ("postgres", "postgres.new", "valkey", "log")
_PATIENCE_S = 20


def run(command: list[str], data: Path) -> int:
    """Run `command` beside a pair in `data`; its exit code, 128 + number for a signal."""
    running = Running(Pair.prepare(data, durable=False))
    try:
        place = {"FLEETDASH_PAIR": str(running.pair.data)}
        return _run_beside(command, running.pair.environment() | place)
    finally:
        running.stop()


def forget(data: Path) -> None:
    """Remove what an earlier pair left in `data`, and nothing else."""
    for name in ("postgres", "valkey"):
        stop_strays(data / name)
    discard_copy(data)
    for name in _OURS:
        shutil.rmtree(data / name, ignore_errors=True)
    (data / "embedded.json").unlink(missing_ok=True)


def _run_beside(command: list[str], environment: dict[str, str]) -> int:
    tied = [sys.executable, "-S", "-E", str(Path(launch.__file__)), "--die-with", "SIGTERM", "--"]
    child = subprocess.Popen([*tied, *command], env=os.environ | environment)  # noqa: S603
    asked = 0

    def pass_on(number: int, _frame: object) -> None:
        nonlocal asked
        asked = number
        # Ctrl-C reaches the command from the terminal by itself.
        if number != signal.SIGINT or not sys.stdin.isatty():
            child.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in _HANDLED}
    try:
        while True:
            try:
                code = child.wait(_PATIENCE_S if asked else 1)
            except subprocess.TimeoutExpired:
                if asked:
                    child.kill()
                continue
            return code if code >= 0 else 128 - code
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fleetdash.embedded")
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run", help="run a command beside Postgres and Valkey")
    runner.add_argument("--data", type=Path, help="where the data lives (default: temporary)")
    runner.add_argument("--fresh", action="store_true", help="forget the data of earlier runs")
    runner.add_argument("command", nargs="+")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    temporary = arguments.data is None
    data = Path(tempfile.mkdtemp(prefix="fleetdash-pair-")) if temporary else arguments.data
    try:
        if arguments.fresh:
            forget(data)
        return run(arguments.command, data)
    except Refusal as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 1
    finally:
        if temporary:
            discard_copy(data)
            shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
