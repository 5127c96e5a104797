"""The embedded Valkey (speaks Redis): its data folder, its command line, whether it is ready."""

import signal
import socket
from dataclasses import dataclass
from pathlib import Path

from fleetdash.onemachine.binaries import Binaries
from fleetdash.onemachine.ports import LOOPBACK
from fleetdash.onemachine.postgres import launcher, make_server_folder, write_server_file

STOP_SIGNAL = signal.SIGTERM


@dataclass(frozen=True, slots=True)
class Valkey:
    """One Valkey server with its data in `folder`."""

    folder: Path
    binaries: Binaries
    port: int
    password: str
    durable: bool

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def command(self) -> list[str]:
        """The command line that runs the server in the foreground until its parent ends."""
        return [
            *launcher(self.folder, die_with=STOP_SIGNAL),
            *(str(self.binaries.valkey), "{folder}/valkey.conf"),
        ]

    def prepare(self) -> None:
        """Make the data folder and write the settings; the password never enters a command line."""
        if not self.folder.exists():
            make_server_folder(self.folder)
        text = "".join(f"{line}\n" for line in self._settings())
        write_server_file(self.folder / "valkey.conf", text)

    def _settings(self) -> list[str]:
        return [
            f"port {self.port}",
            f"bind {LOOPBACK}",
            f"requirepass {self.password}",
            "databases 64",
            "dir .",
            "appendonly yes",
            f"appendfsync {'everysec' if self.durable else 'no'}",
            'save ""',
            "maxmemory-policy noeviction",
            "set-proc-title no",
            "daemonize no",
        ]

    def is_ready(self) -> bool:
        """Whether the server of this folder answers with our password."""
        try:
            with socket.create_connection((LOOPBACK, self.port), timeout=1) as link:
                link.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                answer = b""
                while answer.count(b"\r\n") < 2:
                    part = link.recv(256)
                    if not part:
                        return False
                    answer += part
        except OSError:
            return False
        return answer == b"+OK\r\n+PONG\r\n"
