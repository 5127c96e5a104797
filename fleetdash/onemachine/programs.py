"""The programs of one machine, each with its command line and its place in the order.

They start by rising order and stop by falling order: nothing loses what it still writes to.
"""

import signal
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from fleetdash.onemachine import launch, postgres, valkey
from fleetdash.onemachine.pair import Pair
from fleetdash.onemachine.plan import Plan

EMULATOR = "emulator"
_PYTHON = (sys.executable, "-m")


@dataclass(frozen=True, slots=True)
class Program:
    """One supervised process. `order` decides who starts first and who stops last."""

    name: str
    order: int
    command: tuple[str, ...]
    stop_signal: signal.Signals = signal.SIGTERM
    stop_wait_s: int = 10


def servers(pair: Pair, only: Collection[str]) -> list[Program]:
    """Postgres and Valkey, those of them that run here."""
    both = [
        Program("postgres", 10, tuple(pair.postgres.command()), postgres.STOP_SIGNAL, 30),
        Program("valkey", 20, tuple(pair.valkey.command()), valkey.STOP_SIGNAL),
    ]
    return [program for program in both if program.name in only]


def applications(plan: Plan) -> list[Program]:
    """What stands on the servers, in the order in which it may start."""
    celery = (*_PYTHON, "celery", "-A", "fleetdash")
    emulator = (
        *(*_PYTHON, "emulator", "--port", str(plan.emulator_port)),
        *("--state", str(plan.data / "emulator.sqlite3")),
        *("--control", "--pace", "real", "--rate-per-minute", str(plan.rate_per_minute)),
        *(("--exec", str(plan.data / "machines")) if plan.runs_commands else ()),
    )
    # Workers need not find each other; that saves a second and Redis some noise. What a person
    # ordered has a worker of its own, so that stopping never waits behind a long round of calls.
    alone = ("--loglevel", "INFO", "--without-mingle", "--without-gossip", "--concurrency")
    acts = ("worker", "-n", "acts@%h", "-Q", "interactive", *alone, "2")
    worker = ("worker", "-n", "drive@%h", "-Q", "drive,housekeeping", *alone, "2")
    # A command that checks an answer may take minutes; it keeps nobody else from work.
    checks = ("worker", "-n", "checks@%h", "-Q", "checks", *alone, "1")
    beat = ("beat", "--loglevel", "WARNING", "--pidfile", "")
    web = (
        *(*_PYTHON, "uvicorn", "fleetdash.asgi:application", "--host", "127.0.0.1"),
        *("--port", str(plan.port), "--timeout-graceful-shutdown", "3", "--no-access-log"),
    )
    return [
        *([Program(EMULATOR, 30, tied(emulator))] if plan.with_emulator else []),
        Program("worker", 40, tied((*celery, *worker)), stop_wait_s=20),
        Program("acts", 40, tied((*celery, *acts)), stop_wait_s=20),
        Program("checks", 40, tied((*celery, *checks)), stop_wait_s=20),
        Program("beat", 50, tied((*celery, *beat))),
        Program("follow", 60, tied((sys.executable, "manage.py", "follow"))),
        Program("web", 70, tied(web)),
    ]


def tied(command: tuple[str, ...]) -> tuple[str, ...]:
    """`command`, ending when its supervisor ends."""
    return (
        sys.executable,
        "-I",
        "-S",
        str(Path(launch.__file__)),
        "--die-with=SIGTERM",
        "--",
        *command,
    )
