"""Commands run for real on this computer, each machine in a folder of its own (`--exec`).

This is no sandbox: a command may do whatever the user who started the emulator may do. It gets a
scrubbed environment, a time limit, limits of output and file size, and its whole process group is
killed at its end. The emulator listens on loopback only while this is on.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from emulator.entities import Machine
from emulator.errors import bad_request, not_found
from emulator.shell import HOME, LONGEST_OUTPUT, WORKSPACE, environment

LONGEST_S = 600
LARGEST_FILE_BLOCKS = 131_072
CHUNK = 65_536
# The limits are set by a shell of ours, which then becomes the command's.
_LIMITED = 'ulimit -c 0; ulimit -f "$1"; ulimit -t "$2"; exec /bin/sh -c "$3"'


@dataclass(frozen=True, slots=True)
class HostOutcome:
    """What a command came to; `exit_code` is None when it was killed for taking too long."""

    exit_code: int | None
    stdout: str
    stderr: str
    took_ms: int


class HostShell:
    """The folders of all machines below `root`, and the processes that run in them."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._running: dict[str, set[int]] = {}

    def path(self, machine: Machine, name: str, *, cwd: str = WORKSPACE) -> Path:
        """The place on this computer of a path in the machine; never outside its folder."""
        folder = self._folder(machine)
        whole = name if name.startswith("/") else f"{cwd}/{name}"
        found = (folder / whole.lstrip("/")).resolve()
        if not found.is_relative_to(folder):
            raise bad_request(f"{name} is outside the machine's folder.", field="path")
        return found

    def write(self, machine: Machine, name: str, content: str) -> None:
        """Put a file there; raises 400 where no file can be."""
        place = self.path(machine, name)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8", newline="")
        except (OSError, ValueError) as error:
            raise bad_request(f"{name} cannot be written: {error}", field="path") from error

    def read(self, machine: Machine, name: str) -> str:
        """What is in a file, up to the longest output; 404 when there is none."""
        try:
            with self.path(machine, name).open("rb") as file:
                return file.read(LONGEST_OUTPUT).decode(errors="replace")
        except (OSError, ValueError) as error:
            raise not_found("file", name) from error

    async def run(
        self,
        machine: Machine,
        command: str,
        *,
        cwd: str = WORKSPACE,
        env: dict[str, str] | None = None,
        limit_ms: int,
    ) -> HostOutcome:
        """Run it with `/bin/sh -c`; nothing that it began lives on afterwards."""
        folder = self._folder(machine)
        place = self.path(machine, cwd)
        if not place.is_dir():
            return HostOutcome(1, "", f"sh: {cwd}: no such folder\n", 0)
        limit_s = min(limit_ms / 1000, LONGEST_S)
        begun_s = time.monotonic()
        limits = (str(LARGEST_FILE_BLOCKS), str(int(limit_s) + 1))
        try:
            process = await asyncio.create_subprocess_exec(
                "/bin/sh", "-c", _LIMITED, "sh", *limits, command,
                cwd=place, env=self._environment(machine, folder, env or {}),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            return HostOutcome(126, "", f"sh: {error}\n", 0)
        running = self._running.setdefault(machine.id, set())
        running.add(process.pid)
        code: int | None = None
        reading = [
            asyncio.ensure_future(_read(stream))
            for stream in (process.stdout, process.stderr)
            if stream is not None
        ]
        try:
            async with asyncio.timeout(limit_s):
                code = await process.wait()
        except TimeoutError:
            code = None
        finally:
            _kill(process.pid)
            running.discard(process.pid)
        out, err = await asyncio.gather(*reading)
        await process.wait()
        took_ms = round((time.monotonic() - begun_s) * 1000)
        return HostOutcome(code if code is None else code % 256, out, err, took_ms)

    def end(self, machine: Machine) -> None:
        """Kill what runs in the machine; its folder goes when it is deleted."""
        for pid in self._running.pop(machine.id, set()):
            _kill(pid)
        if machine.status == "deleted":
            shutil.rmtree(self.root / machine.id, ignore_errors=True)

    def clear(self) -> None:
        """Kill everything and remove all folders."""
        for pids in self._running.values():
            for pid in pids:
                _kill(pid)
        self._running.clear()
        shutil.rmtree(self.root, ignore_errors=True)

    def _folder(self, machine: Machine) -> Path:
        folder = self.root / machine.id
        if not folder.exists():
            for name in (WORKSPACE, HOME, "/tmp"):  # noqa: S108 - the machine's own
                (folder / name.lstrip("/")).mkdir(parents=True, mode=0o700)
            for name, content in machine.files.items():
                self.write(machine, name, content)
        return folder

    def _environment(self, machine: Machine, folder: Path, env: dict[str, str]) -> dict[str, str]:
        return {
            **environment(machine),
            "HOME": str(folder / HOME.lstrip("/")),
            "TMPDIR": str(folder / "tmp"),
            "LANG": "C.UTF-8",
            **env,
        }


async def _read(stream: asyncio.StreamReader) -> str:
    """All of it as text, what is too long left out; reads on, so that nothing blocks."""
    kept = bytearray()
    while chunk := await stream.read(CHUNK):
        kept += chunk[: LONGEST_OUTPUT - len(kept)]
    return kept.decode(errors="replace")


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
