"""Files that only their owner reads: passwords, addresses, keys."""

import json
import os
from pathlib import Path
from typing import Any


def write_private(path: Path, text: str) -> None:
    """Replace `path` in one step with a file of mode 600."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_env(path: Path, values: dict[str, str]) -> None:
    """Write `NAME=value` lines; values hold no line break and no quote."""
    write_private(path, "".join(f"{name}={value}\n" for name, value in values.items()))


def read_env(path: Path) -> dict[str, str]:
    """The `NAME=value` lines of `path`; nothing where there is no such file."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def write_json(path: Path, value: dict[str, Any]) -> None:
    write_private(path, json.dumps(value, indent=1) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """The object in `path`; an empty one where there is no such file."""
    if not path.is_file():
        return {}
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value
