"""What `make up` is asked to do: the variables, checked, and the places of the data folder."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from fleetdash.onemachine import ports
from fleetdash.onemachine.refusals import Refusal

ROOT = Path(__file__).resolve().parents[2]
_PLATFORM = ("SANDBOX_URL", "ID_URL", "ROUTER_URL", "API_KEY")


@dataclass(frozen=True, slots=True)
class Plan:
    """One machine's wishes.

    `given` holds the address of each server (`postgres`, `valkey`) that runs elsewhere, or "".
    `runs_commands`: the emulator's machines run commands for real on this computer.
    """

    data: Path
    port: int
    emulator_port: int
    given: Mapping[str, str]
    with_emulator: bool
    rate_per_minute: int
    runs_commands: bool

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Read the variables; raises `Refusal` for one that makes no sense."""
        port = _port(environment, "PORT", default=8000)
        emulator_port = _port(environment, "EMULATOR_PORT", default=8100)
        if port == emulator_port:
            raise Refusal(f"PORT and EMULATOR_PORT are both {port}: choose two different ones.")
        return cls(
            data=data_folder(environment),
            port=port,
            emulator_port=emulator_port,
            given={
                "postgres": environment.get("DATABASE_URL", ""),
                "valkey": environment.get("REDIS_URL", ""),
            },
            with_emulator=not any(environment.get(f"PLATFORM_{name}") for name in _PLATFORM),
            # The largest plan, unless asked otherwise: the emulator holds us to the same number.
            rate_per_minute=_number(environment, "PLATFORM_RATE_PER_MINUTE", default=1000),
            runs_commands=_flag(environment, "EXEC"),
        )

    @property
    def base_url(self) -> str:
        # Passkeys do not take a bare IP address for a site.
        return f"http://localhost:{self.port}"

    @property
    def log(self) -> Path:
        return self.data / "log"

    @property
    def run_env(self) -> Path:
        return self.data / "run.env"

    def emulator_addresses(self) -> dict[str, str]:
        """The platform that the emulator is, as the settings name it."""
        host = f"http://127.0.0.1:{self.emulator_port}"
        return {
            "PLATFORM_SANDBOX_URL": f"{host}/sandbox",
            "PLATFORM_ID_URL": f"{host}/id",
            "PLATFORM_ROUTER_URL": f"{host}/router/v1",
            "PLATFORM_RATE_PER_MINUTE": str(self.rate_per_minute),
        }

    def check_ports(self) -> None:
        """Raises `Refusal` when somebody else listens where we want to."""
        wanted = {"PORT": self.port}
        if self.with_emulator:
            wanted["EMULATOR_PORT"] = self.emulator_port
        for name, port in wanted.items():
            if not ports.is_free(port):
                raise Refusal(
                    f"Port {port} is in use by another program: stop it, or choose another port "
                    f"with `make up {name}={port + 1}`."
                )


def data_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The data folder: `FLEETDASH_VAR`, else `var/` beside `manage.py`."""
    return Path(environment.get("FLEETDASH_VAR") or ROOT / "var").resolve()


def _port(environment: Mapping[str, str], name: str, *, default: int) -> int:
    port = _number(environment, name, default=default)
    if not 0 < port < 65_536:
        raise Refusal(f"{name}={port} is no port: write a number from 1 to 65535.")
    return port


def _flag(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name, "")
    if text not in ("", "0", "1"):
        raise Refusal(f"{name}={text} is neither 0 nor 1.")
    return text == "1"


def _number(environment: Mapping[str, str], name: str, *, default: int) -> int:
    text = environment.get(name) or str(default)
    if not text.isdecimal():
        raise Refusal(f"{name}={text} is no number.")
    return int(text)
