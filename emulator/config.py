"""What one emulator is started with."""

from dataclasses import dataclass
from pathlib import Path

PACE_FACTORS = {"real": 1.0, "fast": 0.1, "instant": 0.002}
DEFAULT_ACCOUNT_KEY = "sk-tan-emulator-account"


@dataclass(frozen=True, slots=True)
class Config:
    """Start options; `emulator.dials.Dials` holds what control may change later."""

    host: str = "127.0.0.1"
    port: int = 0
    seed: int = 7
    state: Path | None = None
    account_key: str = DEFAULT_ACCOUNT_KEY
    control: bool = False
    pace: str = "real"
    plan: str = "enterprise"
    rate_per_minute: int | None = None
    failure_share: float = 0.06
    exec_root: Path | None = None
    event_retention_s: int = 300
