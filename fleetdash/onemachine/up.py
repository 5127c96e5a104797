"""`make up`: everything this product needs, on this machine, until Ctrl-C."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fleetdash.onemachine import launch, leftovers, programs
from fleetdash.onemachine.holder import hold
from fleetdash.onemachine.keys import Keys
from fleetdash.onemachine.pair import BOTH, Pair
from fleetdash.onemachine.plan import ROOT, Plan
from fleetdash.onemachine.private_files import write_env
from fleetdash.onemachine.readiness import is_ok, listens, wait_for
from fleetdash.onemachine.refusals import Refusal, explained
from fleetdash.onemachine.supervision import Supervisor

_NEEDED_BYTES = 300_000_000
_READY_LIMIT_S = 60
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """Somebody asked us to stop."""


def up(plan: Plan) -> int:
    """Run until stopped; 0 after an orderly stop. Raises `Refusal` with one sentence."""
    if os.environ.get("MAKELEVEL"):
        launch.die_with_parent(signal.SIGTERM)
    with _stopping_on_signals():
        _check_folder(plan.data)
        with hold(plan):
            _stop_strays(plan.data)
            plan.check_ports()
            keys = Keys.keep(plan.data)
            return _run(plan, keys)


def _run(plan: Plan, keys: Keys) -> int:
    wanted = [name for name in BOTH if not plan.given[name]]
    pair = Pair.prepare(plan.data, durable=True, only=wanted) if wanted else None
    supervisor = Supervisor(
        data=plan.data,
        root=ROOT,
        first=programs.servers(pair, wanted) if pair else [],
        later=programs.applications(plan, keys.emulator_account),
    )
    try:
        write_env(plan.run_env, _addresses(plan, pair, keys))
        _start(plan, supervisor, keys, pair)
        while supervisor.is_running():
            time.sleep(0.5)
        raise Refusal("The supervisor of the processes ended, so everything was stopped.")
    except Stopped:
        say("Stopping …")
        return 0
    finally:
        supervisor.stop()
        plan.run_env.unlink(missing_ok=True)


def _addresses(plan: Plan, pair: Pair | None, keys: Keys) -> dict[str, str]:
    given = {"DATABASE_URL": plan.given["postgres"], "REDIS_URL": plan.given["valkey"]}
    addresses = pair.environment() if pair else {}
    addresses |= {name: url for name, url in given.items() if url}
    addresses["FLEETDASH_BASE_URL"] = plan.base_url
    if plan.with_emulator:
        addresses |= plan.emulator_addresses() | {"PLATFORM_API_KEY": keys.emulator_account}
    return addresses


def _start(plan: Plan, supervisor: Supervisor, keys: Keys, pair: Pair | None) -> None:
    say("Starting the servers …")
    supervisor.run({"FLEETDASH_VAR": str(plan.data)})

    def servers_answer() -> bool:
        return pair is None or all(
            server.is_ready()
            for name, server in (("postgres", pair.postgres), ("valkey", pair.valkey))
            if not plan.given[name]
        )

    wait_for("The database", servers_answer, watching=supervisor.check, limit_s=_READY_LIMIT_S)
    if plan.with_emulator:
        supervisor.start("emulator")
    knows_password = _prepare_app(plan, keys)
    if plan.with_emulator:
        wait_for(
            "The emulator",
            lambda: listens(plan.emulator_port),
            watching=supervisor.check,
            limit_s=_READY_LIMIT_S,
        )
    for program in supervisor.later:
        if program.name != "emulator":
            supervisor.start(program.name)
    wait_for(
        "Fleetdash",
        lambda: is_ok(f"http://127.0.0.1:{plan.port}/healthz/ready"),
        watching=supervisor.check,
        limit_s=_READY_LIMIT_S,
    )
    say(_welcome(plan, keys.admin_password if knows_password else "the password you chose"))


def _prepare_app(plan: Plan, keys: Keys) -> bool:
    """Migrate and set up; whether the first admin's password is still the one we know."""
    say("Preparing the database and the pages …")
    with (plan.log / "prepare.log").open("w") as log:
        result = subprocess.run(  # noqa: S603
            programs.tied((sys.executable, "-m", "fleetdash.onemachine.prepare_app")),
            cwd=ROOT,
            env=os.environ
            | leftovers.marked(plan.data)
            | {"FLEETDASH_VAR": str(plan.data), "FLEETDASH_ADMIN_PASSWORD": keys.admin_password},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            check=False,
        )
        log.write(result.stdout)
    verdict, _, rest = (result.stdout.strip().splitlines() or [""])[-1].partition(" ")
    if verdict == "REFUSED":
        raise Refusal(rest)
    if result.returncode != 0:
        raise Refusal(f"Fleetdash could not be set up (see {plan.log / 'prepare.log'}).")
    return rest == "known-password"


def _welcome(plan: Plan, password: str) -> str:
    emulator = [
        f"  The platform is the emulator at port {plan.emulator_port}: nothing here costs money."
    ]
    return "\n".join(
        [
            "",
            f"  Fleetdash runs at {plan.base_url}",
            f"  Sign in as admin with {password}",
            *(emulator if plan.with_emulator else []),
            "  Ctrl-C stops it; `make logs` in another shell shows what it does.",
            "",
        ]
    )


def say(text: str) -> None:
    """Tell the person at the terminal, if there still is one."""
    with suppress(OSError):
        print(text, flush=True)


def _check_folder(data: Path) -> None:
    with explained(data):
        (data / "log").mkdir(parents=True, exist_ok=True)
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

    def be_patient(_number: int, _frame: object) -> None:
        say("Still stopping …")

    def stop(_number: int, _frame: object) -> None:
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
