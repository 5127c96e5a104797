"""From nothing to ready: servers, then the database's shape, then everything that uses them."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from fleetdash.onemachine import leftovers, programs
from fleetdash.onemachine.keys import Keys
from fleetdash.onemachine.pair import BOTH, Pair
from fleetdash.onemachine.plan import ROOT, Plan
from fleetdash.onemachine.private_files import write_env
from fleetdash.onemachine.readiness import is_ok, listens, wait_for
from fleetdash.onemachine.refusals import Refusal
from fleetdash.onemachine.supervision import Supervisor

# A machine with other things to do needs a minute; nobody waits so long for one that is broken.
_READY_LIMIT_S = 240


@dataclass(frozen=True, slots=True)
class Start:
    """One start of the machine that `plan` describes."""

    plan: Plan
    keys: Keys
    own_servers: Sequence[str]
    pair: Pair | None
    supervisor: Supervisor

    @classmethod
    def prepare(cls, plan: Plan) -> Self:
        """Make folders, keys and settings, and start nothing. Raises `Refusal`."""
        keys = Keys.keep(plan.data)
        own = [name for name in BOTH if not plan.given[name]]
        pair = Pair.prepare(plan.data, durable=True, only=own) if own else None
        supervisor = Supervisor(
            data=plan.data,
            root=ROOT,
            first=programs.servers(pair, own) if pair else [],
            later=programs.applications(plan),
        )
        return cls(plan, keys, own, pair, supervisor)

    def until_ready(self) -> None:
        """Start everything and say where it runs. Raises `Refusal` when a part does not start."""
        write_env(self.plan.run_env, self.addresses())
        say("Starting the servers …")
        self.supervisor.run(
            {
                "FLEETDASH_VAR": str(self.plan.data),
                "EMULATOR_ACCOUNT_KEY": self.keys.emulator_account,
            }
        )
        self._wait("The database", self._servers_answer)
        if self.plan.with_emulator:
            self.supervisor.start(programs.EMULATOR)
        say("Preparing the database and the pages …")
        knows_password = _prepare_app(self.plan, self.keys)
        if self.plan.with_emulator:
            self._wait("The emulator", lambda: listens(self.plan.emulator_port))
        for program in self.supervisor.later:
            if program.name != programs.EMULATOR:
                self.supervisor.start(program.name)
        ready = f"http://127.0.0.1:{self.plan.port}/healthz/ready"
        self._wait("Fleetdash", lambda: is_ok(ready))
        say(_welcome(self.plan, self._password(is_known=knows_password)))

    def addresses(self) -> dict[str, str]:
        """What runs where, for the settings of every process on this machine."""
        given = {
            "DATABASE_URL": self.plan.given["postgres"],
            "REDIS_URL": self.plan.given["valkey"],
        }
        addresses = self.pair.environment() if self.pair else {}
        addresses |= {name: url for name, url in given.items() if url}
        addresses["FLEETDASH_BASE_URL"] = self.plan.base_url
        if self.plan.with_emulator:
            addresses |= self.plan.emulator_addresses()
            addresses["PLATFORM_API_KEY"] = self.keys.emulator_account
        return addresses

    def _password(self, *, is_known: bool) -> str:
        """What to sign in with, in words where this start does not know it."""
        if is_known:
            return self.keys.admin_password
        if self.keys.is_password_given:
            return (
                "the password it has had since an earlier start:\n"
                "  FLEETDASH_ADMIN_PASSWORD counts only when the account is made"
            )
        return "the password you chose"

    def _servers_answer(self) -> bool:
        if self.pair is None:
            return True
        answers = {"postgres": self.pair.postgres.is_ready, "valkey": self.pair.valkey.is_ready}
        return all(answers[name]() for name in self.own_servers)

    def _wait(self, what: str, answers: Callable[[], bool]) -> None:
        wait_for(what, answers, watching=self.supervisor.check, limit_s=_READY_LIMIT_S)


def _prepare_app(plan: Plan, keys: Keys) -> bool:
    """Migrate and set up; whether the first admin's password is still the one we know."""
    own = {"FLEETDASH_VAR": str(plan.data), "FLEETDASH_ADMIN_PASSWORD": keys.admin_password}
    with (plan.log / "prepare.log").open("w") as log:
        result = subprocess.run(  # noqa: S603
            programs.tied((sys.executable, "-m", "fleetdash.onemachine.prepare_app")),
            cwd=ROOT,
            env=os.environ | leftovers.marked(plan.data) | own,
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
        raise Refusal(f"Fleetdash could not be set up: see {plan.log / 'prepare.log'}.")
    return rest == "known-password"


def _welcome(plan: Plan, password: str) -> str:
    emulator = f"  The platform is an emulator (port {plan.emulator_port}): nothing costs money."
    commands = (
        "  EXEC=1: commands of machines run for real on this computer, as you, below\n"
        f"  {plan.data / 'machines'}. Nothing confines them."
    )
    return "\n".join(
        [
            "",
            f"  Fleetdash runs at {plan.base_url}",
            f"  Sign in as admin with {password}",
            *([emulator] if plan.with_emulator else []),
            *([commands] if plan.with_emulator and plan.runs_commands else []),
            "  Ctrl-C stops it; `make logs` in another shell shows what it does.",
            "",
        ]
    )


def say(text: str) -> None:
    """Tell the person at the terminal, if there still is one."""
    with suppress(OSError):
        print(text, flush=True)
