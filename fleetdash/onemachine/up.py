"""`make up`: everything this product needs, on this machine, until Ctrl-C."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fleetdash.onemachine import launch, leftovers
from fleetdash.onemachine.holder import hold
from fleetdash.onemachine.plan import Plan
from fleetdash.onemachine.refusals import Refusal, explained
from fleetdash.onemachine.start import Start, say

_NEEDED_BYTES = 300_000_000
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """Somebody asked us to stop."""


def up(plan: Plan) -> int:
    """Run until stopped; 0 after an orderly stop. Raises `Refusal` with one sentence."""
    if os.environ.get("MAKELEVEL"):
        launch.die_with_parent(signal.SIGTERM)
    try:
        with _stopping_on_signals():
            _check_folder(plan.data)
            with hold(plan):
                _stop_strays(plan.data)
                plan.check_ports()
                _run(plan)
    except Stopped:
        return 0
    return 1


def _run(plan: Plan) -> None:
    start = Start.prepare(plan)
    try:
        start.until_ready()
        while start.supervisor.is_running():
            time.sleep(0.5)
        raise Refusal("The supervisor of the processes ended, so everything was stopped.")
    except Stopped:
        say("Stopping …")
        raise
    finally:
        start.supervisor.stop()
        plan.run_env.unlink(missing_ok=True)


def _check_folder(data: Path) -> None:
    with explained(data):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data / "log").mkdir(exist_ok=True)
        free = shutil.disk_usage(data).free
    if free < _NEEDED_BYTES:
        raise Refusal(
            f"The disk of {data} is full: {_NEEDED_BYTES // 1_000_000} MB are needed and "
            f"{free // 1_000_000} MB are free."
        )


def _stop_strays(data: Path) -> None:
    if strays := leftovers.find(data):
        say("Stopping what an earlier start left running …")
        if leftovers.stop(strays, grace_s=30):
            raise Refusal(f"A process of an earlier start on {data} will not stop.")


@contextmanager
def _stopping_on_signals() -> Iterator[None]:
    """The first signal raises `Stopped`; later ones are told to be patient."""

    asked_at = 0.0

    def be_patient(_number: int, _frame: object) -> None:
        # One key press may arrive twice: from the terminal and from `make`.
        if time.monotonic() - asked_at > 1:
            say("Still stopping …")

    def stop(_number: int, _frame: object) -> None:
        nonlocal asked_at
        asked_at = time.monotonic()
        for number in _SIGNALS:
            signal.signal(number, be_patient)
        raise Stopped

    for number in _SIGNALS:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in _SIGNALS:
            signal.signal(number, be_patient)
