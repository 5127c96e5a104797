"""Reads settings from the environment, then from the files that `make up` keeps.

`FLEETDASH_VAR/run.env` says what runs where on this machine and `secrets.env` keeps its keys. A
variable that is set always wins over a file.
"""

import os
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


def var_dir() -> Path:
    """The data folder: `FLEETDASH_VAR`, else `var/` beside `manage.py`."""
    return Path(os.environ.get("FLEETDASH_VAR") or BASE_DIR / "var").resolve()


def read() -> environ.Env:
    """An environment with the machine's own files read below the variables that are set."""
    for name in ("run.env", "secrets.env"):
        path = var_dir() / name
        if path.is_file():
            environ.Env.read_env(path, overwrite=False)
    return environ.Env()


def required(env: environ.Env, name: str) -> str:
    """The value of `name`; its absence stops the start with one sentence."""
    value: Any = env.str(name, default="")
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set. Fleetdash is not running here: start it with `make up`, "
            f"or set {name} (see .env.example)."
        )
    return str(value)


def boolean(env: environ.Env, name: str, *, default: str) -> bool:
    """A strict boolean: a mistyped word stops the start instead of meaning False."""
    text = str(env.str(name, default=default)).strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {text!r}: write 1 or 0.")
