"""The embedded Postgres: its data folder, its command line, whether it is ready."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from fleetdash.onemachine import launch, leftovers
from fleetdash.onemachine.binaries import POSTGRES_MAJOR, SERVER_USER, Binaries
from fleetdash.onemachine.private_files import write_private
from fleetdash.onemachine.refusals import Refusal

ROLE = "fleetdash"
DATABASE = "fleetdash"
STOP_SIGNAL = signal.SIGINT  # a fast shutdown: sessions are ended, nothing is lost
_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
_ALWAYS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "150",
    "shared_buffers": "128MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "lc_messages": "C",
}


@dataclass(frozen=True, slots=True)
class Postgres:
    """One Postgres server with its data in `folder`."""

    folder: Path
    binaries: Binaries
    port: int
    password: str
    durable: bool

    @property
    def url(self) -> str:
        return f"postgres://{ROLE}:{self.password}@127.0.0.1:{self.port}/{DATABASE}"

    def command(self) -> list[str]:
        """The command line that runs the server in the foreground until its parent ends."""
        settings = _ALWAYS | {"port": str(self.port)} | ({} if self.durable else _FAST)
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [
            *launcher(self.folder, die_with=STOP_SIGNAL),
            *(str(self.binaries.postgres), "-D", "{folder}", *options),
        ]

    def prepare(self) -> None:
        """Make the data folder where there is none, and clear what a killed server left.

        Raises `Refusal` where the folder belongs to another version or cannot be made.
        """
        if self.folder.exists():
            self._check_version()
            self._forget_dead_server()
        else:
            self._create()

    def is_ready(self) -> bool:
        """Whether the server of this folder takes connections."""
        lines = self._pid_file()
        return len(lines) > 7 and lines[7].strip() == "ready"

    def _check_version(self) -> None:
        try:
            found = (self.folder / "PG_VERSION").read_text().strip()
        except OSError as error:
            raise Refusal(f"{self.folder} holds no readable Postgres database: {error}.") from error
        if found != str(POSTGRES_MAJOR):
            raise Refusal(
                f"{self.folder} was made by Postgres {found}, and this Fleetdash runs Postgres "
                f"{POSTGRES_MAJOR}: move the data with pg_dump, or start over with `make reset`."
            )

    def _pid_file(self) -> list[str]:
        try:
            return (self.folder / "postmaster.pid").read_text().splitlines()
        except OSError:
            return []

    def _forget_dead_server(self) -> None:
        """Remove a pid file whose number now belongs to nobody or to another program."""
        lines = self._pid_file()
        if not lines or not sys.platform.startswith("linux"):
            return
        if int(lines[0]) not in leftovers.working_in(self.folder):
            (self.folder / "postmaster.pid").unlink(missing_ok=True)

    def _create(self) -> None:
        draft = self.folder.with_name("postgres.new")
        # A first start that was interrupted leaves a draft; it holds nothing.
        if draft.exists():
            shutil.rmtree(draft)
        make_server_folder(draft)
        word = draft.with_name("postgres.password")
        write_server_file(word, self.password + "\n")
        try:
            self._run(draft, self._initdb(), stdin=word)
            write_server_file(word, f"CREATE DATABASE {DATABASE};\n")
            single = [str(self.binaries.postgres), "--single", "-D", "{folder}"]
            self._run(draft, [*single, "-c", "fsync=off", "postgres"], stdin=word)
        finally:
            word.unlink(missing_ok=True)
        draft.rename(self.folder)

    def _initdb(self) -> list[str]:
        # The built-in provider sorts alike on every system and knows letters beyond ASCII.
        locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        return [
            *(str(self.binaries.initdb), "-D", "{folder}", "-U", ROLE, "--encoding=UTF8", *locale),
            *("--pwfile=/dev/stdin", "--auth=scram-sha-256", "--no-instructions"),
            *(() if self.durable else ("--no-sync",)),
        ]

    def _run(self, folder: Path, command: list[str], *, stdin: Path) -> None:
        line = [*launcher(folder, die_with=signal.SIGKILL, stdin=stdin), *command]
        result = subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603
        if result.returncode != 0:
            raise Refusal(_why_not(result.stdout + result.stderr, self.folder))


def launcher(folder: Path, *, die_with: signal.Signals, stdin: Path | None = None) -> list[str]:
    """The words before a server's own command line (see `launch`)."""
    words = [sys.executable, "-S", "-E", str(Path(launch.__file__)), "--user", SERVER_USER]
    words += ["--folder", str(folder), "--die-with", die_with.name]
    return [*words, *(["--stdin", str(stdin)] if stdin else []), "--"]


def make_server_folder(folder: Path) -> None:
    """Make `folder` for the servers' user alone."""
    folder.mkdir(mode=0o700)
    _give_away(folder)


def write_server_file(path: Path, text: str) -> None:
    """Write a file that only the servers' user (and root) reads."""
    write_private(path, text)
    _give_away(path)


def _give_away(path: Path) -> None:
    if os.geteuid() == 0:
        try:
            entry = pwd.getpwnam(SERVER_USER)
        except KeyError as error:
            raise Refusal(f"Started by root, Postgres needs the user {SERVER_USER}.") from error
        os.chown(path, entry.pw_uid, entry.pw_gid)


def _why_not(output: str, folder: Path) -> str:
    if "No space left on device" in output:
        return f"The disk of {folder} is full: free some space and start again."
    words = [line for line in output.splitlines() if line.strip()]
    return f"Postgres could not make its data folder {folder}: {words[-1] if words else 'no word'}"
