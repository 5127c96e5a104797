"""Postgres and Valkey as one pair: prepared together, started and stopped together."""

import os
import secrets
import subprocess
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from fleetdash.onemachine import binaries, leftovers
from fleetdash.onemachine.ports import keep_or_replace
from fleetdash.onemachine.postgres import STOP_SIGNAL as POSTGRES_STOP
from fleetdash.onemachine.postgres import Postgres
from fleetdash.onemachine.private_files import read_json, write_json
from fleetdash.onemachine.refusals import Refusal, explained
from fleetdash.onemachine.valkey import STOP_SIGNAL as VALKEY_STOP
from fleetdash.onemachine.valkey import Valkey

BOTH = ("postgres", "valkey")
_READY_LIMIT_S = 90
_STOP_LIMIT_S = 15


@dataclass(frozen=True, slots=True)
class Pair:
    """Both servers of one data folder, made ready to start by `prepare`."""

    data: Path
    postgres: Postgres
    valkey: Valkey

    @classmethod
    def pin(cls, data: Path, *, durable: bool) -> Self:
        """Choose ports and a password for the pair in `data`, or keep those it has.

        `durable=False` trades safety for speed and is for data that may be lost. Starts nothing, so
        that addresses can be handed out early. Raises `Refusal` with a sentence.
        """
        data = data.resolve()
        with explained(data):
            data.mkdir(mode=0o700, parents=True, exist_ok=True)
            notes = read_json(data / "embedded.json")
            password = str(notes.get("password") or secrets.token_urlsafe(24))
            ports = [keep_or_replace(notes.get(f"{name}_port")) for name in BOTH]
            write_json(
                data / "embedded.json",
                {"password": password, "postgres_port": ports[0], "valkey_port": ports[1]},
            )
            programs = binaries.find(data)
        return cls(
            data=data,
            postgres=Postgres(data / "postgres", programs, ports[0], password, durable),
            valkey=Valkey(data / "valkey", programs, ports[1], password, durable),
        )

    @classmethod
    def prepare(cls, data: Path, *, durable: bool, only: Collection[str] = BOTH) -> Self:
        """Pin the pair of `data` and make the folders of `only` ready to start; repeatable.

        Servers of this folder that outlived their supervisor are stopped. Raises `Refusal`.
        """
        for name in BOTH:
            stop_strays(data.resolve() / name)
        pair = cls.pin(data, durable=durable)
        with explained(pair.data):
            if "postgres" in only:
                pair.postgres.prepare()
            if "valkey" in only:
                pair.valkey.prepare()
        return pair

    def environment(self) -> dict[str, str]:
        """The variables that lead a program to the pair."""
        return {"DATABASE_URL": self.postgres.url, "REDIS_URL": self.valkey.url}


def stop_strays(folder: Path) -> None:
    """Stop servers that still work in `folder`; raises `Refusal` when one will not go."""
    if leftovers.stop(leftovers.working_in(folder), grace_s=10):
        raise Refusal(f"A server of an earlier start still works in {folder} and will not stop.")


class Running:
    """A started pair; `stop` ends it, and so does the end of this process."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        log = pair.data / "log"
        log.mkdir(exist_ok=True)
        self._children = [
            _start(command, log / f"{name}.log", pair.data)
            for name, command in (
                ("valkey", pair.valkey.command()),
                ("postgres", pair.postgres.command()),
            )
        ]
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    def pids(self) -> list[int]:
        return [child.pid for child in self._children]

    def stop(self) -> None:
        """Stop both servers, Valkey first, and wait for them."""
        for child, number in zip(self._children, (VALKEY_STOP, POSTGRES_STOP), strict=True):
            if child.poll() is None:
                child.send_signal(number)
            try:
                child.wait(_STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + _READY_LIMIT_S
        while not (self.pair.valkey.is_ready() and self.pair.postgres.is_ready()):
            dead = [child for child in self._children if child.poll() is not None]
            if dead or time.monotonic() > deadline:
                raise Refusal(_why_not(self.pair.data / "log"))
            time.sleep(0.02)


def _start(command: list[str], log: Path, data: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=os.environ | leftovers.marked(data),
        )


def _why_not(log: Path) -> str:
    lines = [
        line
        for name in ("postgres", "valkey")
        for line in (log / f"{name}.log").read_text(errors="replace").splitlines()[-40:]
    ]
    if any("No space left on device" in line for line in lines):
        return f"The disk of {log.parent} is full: free some space and start again."
    fatal = [line for line in lines if "FATAL" in line or "rror" in line]
    said = f": {fatal[-1].strip()}" if fatal else ""
    return f"Postgres and Valkey did not start (see {log}){said}"
