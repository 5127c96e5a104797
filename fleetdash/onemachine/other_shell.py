"""What a second shell may ask of a running machine: stop it, forget its data, show its logs."""

import os
import shutil
import sys
from pathlib import Path

from fleetdash.onemachine import holder, leftovers
from fleetdash.onemachine.binaries import discard_copy
from fleetdash.onemachine.refusals import Refusal, explained

_STOP_LIMIT_S = 90
# What this product writes into its data folder; `make reset` removes nothing else.
_OURS = (
    *("postgres", "postgres.new", "valkey", "log", "static", "screenshots"),
    *("embedded.json", "static.stamp"),
    *("secrets.env", "run.env", "supervisord.conf", "supervisord.pid", "up.lock"),
)
_OUR_PATTERNS = ("emulator.sqlite3*", "beat-schedule*")


def down(data: Path) -> str:
    """Stop what runs on `data`; says what happened. Raises `Refusal` when it will not stop."""
    held = holder.is_held(data)
    if held and not holder.end(data, limit_s=_STOP_LIMIT_S):
        raise Refusal(f"Fleetdash on {data} does not stop: see {data / 'log'}.")
    strays = leftovers.find(data)
    if leftovers.stop(strays, grace_s=30):
        raise Refusal(f"A process on {data} will not stop.")
    (data / "run.env").unlink(missing_ok=True)
    return "Fleetdash is stopped." if held or strays else f"Fleetdash does not run on {data}."


def reset(data: Path, *, sure: bool) -> str:
    """Remove the data of `data` after asking; says what happened. Not while it runs (`Refusal`)."""
    if holder.is_held(data):
        raise Refusal(f"Fleetdash runs on {data}: stop it first with `make down`.")
    if not data.exists():
        return f"There is no data in {data}."
    if not sure and not _asked(data):
        return "Nothing was removed."
    down(data)
    with explained(data):
        discard_copy(data)
        found = [data / name for name in _OURS]
        found += [path for pattern in _OUR_PATTERNS for path in data.glob(pattern)]
        for path in found:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        if not any(data.iterdir()):
            data.rmdir()
    return f"The data in {data} is removed."


def _asked(data: Path) -> bool:
    if not sys.stdin.isatty():
        raise Refusal(
            "`make reset` asks before it removes data: say YES=1 where nobody can answer."
        )
    return input(f"Remove all fleets, users and keys in {data}? Type yes: ").strip() == "yes"


def logs(data: Path, name: str) -> None:
    """Become `tail` on the log files; raises `Refusal` where there are none."""
    files = sorted(map(str, (data / "log").glob(f"{name or '*'}.log")))
    if not files:
        raise Refusal(f"There are no logs in {data / 'log'}: nothing ran here yet.")
    os.execvp("tail", ["tail", "-n", "40", "-F", *files])  # noqa: S606, S607 - the user's own tail
