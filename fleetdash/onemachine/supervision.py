"""Runs programs under supervisor: its settings file, its process, and talking to it."""

import http.client
import os
import secrets
import shlex
import subprocess
import sys
import time
import xmlrpc.client
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fleetdash.onemachine import leftovers
from fleetdash.onemachine.ports import LOOPBACK, free_port
from fleetdash.onemachine.private_files import write_private
from fleetdash.onemachine.programs import Program, tied
from fleetdash.onemachine.refusals import Refusal

_READY_LIMIT_S = 60
_UNREACHABLE = (OSError, http.client.HTTPException, xmlrpc.client.Error)


@dataclass
class Supervisor:
    """One supervisor for the programs of one data folder.

    The programs of `first` start with it, the others by `start`. A program that dies is started
    again, each time a second later than before.
    """

    data: Path
    root: Path
    first: Sequence[Program]
    later: Sequence[Program]
    _process: subprocess.Popen[bytes] | None = None
    _port: int = field(default_factory=free_port)
    _password: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    def run(self, environment: dict[str, str]) -> None:
        """Start the supervisor in a session of its own, so that Ctrl-C reaches only us."""
        path = self.data / "supervisord.conf"
        write_private(path, self._settings())
        command = tied((sys.executable, "-m", "supervisor.supervisord", "-n", "-c", str(path)))
        self._process = subprocess.Popen(  # noqa: S603
            command,
            cwd=self.root,
            env=os.environ | environment | leftovers.marked(self.data),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._wait_until_it_listens()

    def start(self, name: str) -> None:
        """Let one program of `later` start; raises `Refusal` when there is nobody to ask."""
        try:
            self._proxy().supervisor.startProcess(name, False)
        except _UNREACHABLE as error:
            raise Refusal(f"{name} could not be started: {error}") from error

    def check(self) -> None:
        """Raises `Refusal` with a program's last words when one does not stay up."""
        try:
            told = self._proxy().supervisor.getAllProcessInfo()
        except _UNREACHABLE as error:
            raise Refusal("The supervisor of the processes ended.") from error
        for info in told if isinstance(told, list) else ():
            name, word = str(info["name"]), str(info["statename"])
            if word in {"BACKOFF", "FATAL", "EXITED"}:
                raise Refusal(f"{name} does not start: {last_words(self.data / 'log', name)}")

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Stop every program, the last started first, and wait until all are gone."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.terminate()
        limit_s = sum(program.stop_wait_s for program in (*self.first, *self.later)) + 10
        try:
            self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        leftovers.stop(leftovers.find(self.data), grace_s=5)

    def _proxy(self) -> xmlrpc.client.ServerProxy:
        return xmlrpc.client.ServerProxy(
            f"http://fleetdash:{self._password}@{LOOPBACK}:{self._port}/RPC2"
        )

    def _wait_until_it_listens(self) -> None:
        deadline = time.monotonic() + _READY_LIMIT_S
        while self.is_running() and time.monotonic() < deadline:
            try:
                self._proxy().supervisor.getState()
            except _UNREACHABLE:
                time.sleep(0.05)
            else:
                return
        said = last_words(self.data / "log", "supervisord")
        raise Refusal(f"The supervisor of the processes did not start: {said}")

    def _settings(self) -> str:
        return "\n".join(
            [
                *self._own_sections(),
                *(line for one in self.first for line in self._section(one, autostart="true")),
                *(line for one in self.later for line in self._section(one, autostart="false")),
                "",
            ]
        )

    def _own_sections(self) -> list[str]:
        return [
            "[supervisord]",
            f"logfile={_escaped(str(self.data / 'log' / 'supervisord.log'))}",
            f"pidfile={_escaped(str(self.data / 'supervisord.pid'))}",
            "logfile_maxbytes=1MB",
            "logfile_backups=1",
            *(["user=root"] if os.geteuid() == 0 else []),
            "[inet_http_server]",
            f"port={LOOPBACK}:{self._port}",
            "username=fleetdash",
            f"password={self._password}",
            "[rpcinterface:supervisor]",
            "supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface",
        ]

    def _section(self, program: Program, *, autostart: str) -> list[str]:
        return [
            f"[program:{program.name}]",
            f"command={_escaped(shlex.join(program.command))}",
            f"directory={_escaped(str(self.root))}",
            f"priority={program.order}",
            f"autostart={autostart}",
            "autorestart=true",
            "startsecs=1",
            "startretries=100",
            f"stopsignal={program.stop_signal.name.removeprefix('SIG')}",
            f"stopwaitsecs={program.stop_wait_s}",
            "killasgroup=true",
            "redirect_stderr=true",
            f"stdout_logfile={_escaped(str(self.data / 'log' / (program.name + '.log')))}",
            "stdout_logfile_maxbytes=10MB",
            "stdout_logfile_backups=2",
        ]


def last_words(log: Path, name: str) -> str:
    """The last line that a program wrote, and where the rest is."""
    path = log / f"{name}.log"
    lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
    said = next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
    return f"{said} (see {path})"


def _escaped(text: str) -> str:
    return text.replace("%", "%%")
