"""The emulator as a process of its own with its world in a file: killed, it comes back."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from emulator.config import Config
from fleetdash.onemachine.ports import free_port
from tests.support.worker import Background


class Emulated(Protocol):
    """Where an emulator answers, whether it runs in a thread or as a process."""

    @property
    def config(self) -> Config: ...
    @property
    def base_url(self) -> str: ...
    @property
    def sandbox_url(self) -> str: ...
    @property
    def id_url(self) -> str: ...
    @property
    def router_url(self) -> str: ...


@dataclass
class EmulatorProcess:
    """`python -m emulator --state FILE`, ten times as fast as in life; nothing fails by chance."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: Background = field(init=False)
    config: Config = field(init=False)

    def __post_init__(self) -> None:
        self.config = Config(control=True, pace="fast", rate_per_minute=0, failure_share=0.0)
        state = str(self.folder / "emulator.sqlite3")
        options = ("--port", str(self.port), "--state", state, "--control")
        dials = ("--pace", "fast", "--rate-per-minute", "0", "--failure-share", "0")
        self.process = Background(
            name="emulator",
            command=(sys.executable, "-m", "emulator", *options, *dials),
            ready="emulator listening on",
            folder=self.folder,
            environment=dict(os.environ),
        )

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def sandbox_url(self) -> str:
        return f"{self.base_url}/sandbox"

    @property
    def id_url(self) -> str:
        return f"{self.base_url}/id"

    @property
    def router_url(self) -> str:
        return f"{self.base_url}/router/v1"
