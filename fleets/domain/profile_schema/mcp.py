"""MCP servers: local, remote or disabled, and exactly one of the three."""

import re
from typing import Any, Final

from fleets.domain.profile_schema import texts
from fleets.domain.profile_schema.config import config_value, env, headers
from fleets.domain.profile_schema.issues import Code, Issue, Path
from fleets.domain.profile_schema.shapes import (
    Note,
    closed,
    either,
    exactly,
    list_of,
    one_of,
    opened,
)
from fleets.domain.profile_schema.shapes import text as any_text
from fleets.domain.profile_schema.urls import parse_url

_COMMAND: Final = re.compile(r"/?[A-Za-z0-9._+-]+(?:/[A-Za-z0-9._+-]+)*")
_SHELLS: Final = frozenset({"sh", "bash", "zsh", "fish", "cmd", "cmd.exe", "powershell", "pwsh"})
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_NOT_BELOW: Final = frozenset({"", ".", "..", ".git", ".sidecar"})


def is_safe_command(command: str) -> bool:
    """Whether it is one plain executable: no shell, no arguments, no way up."""
    if not _COMMAND.fullmatch(command):
        return False
    segments = command.lstrip("/").split("/")
    return not {".", ".."} & set(segments) and segments[-1].lower() not in _SHELLS


def is_safe_folder(folder: str) -> bool:
    """Whether it stays inside the workspace."""
    if not folder or not texts.is_well_formed(folder) or texts.has_controls(folder):
        return False
    if "\\" in folder or folder.startswith("/") or _DRIVE.match(folder):
        return False
    return folder == "." or not _NOT_BELOW & set(folder.split("/"))


def _command(value: Any, path: Path, note: Note) -> Any:
    if not isinstance(value, str):
        return any_text(value, path, note)
    if not is_safe_command(value):
        words = "must be one plain executable: no shell, no arguments, no ."
        note.append(Issue(Code.CUSTOM, path, words))
    return value


def _cwd(value: Any, path: Path, note: Note) -> Any:
    if not isinstance(value, str):
        return any_text(value, path, note)
    if not is_safe_folder(value):
        note.append(Issue(Code.CUSTOM, path, "must be a folder inside the workspace"))
    return value


def _url(value: Any, path: Path, note: Note) -> Any:
    if not isinstance(value, str):
        return any_text(value, path, note)
    url = None if texts.is_blank(value) else parse_url(value)
    if url is None or url.scheme not in ("http", "https"):
        note.append(Issue(Code.CUSTOM, path, "must be an address with http or https"))
    elif texts.is_credential_like(value):
        note.append(Issue(Code.CUSTOM, path, "has a credential in it"))
    return value


server = either(
    closed(
        {
            "command": _command,
            "transport": one_of("stdio"),
            "enabled": exactly(True),
            "args": list_of(config_value),
            "env": env,
            "cwd": _cwd,
            "metadata": opened,
        },
        required=("command",),
    ),
    closed(
        {
            "url": _url,
            "transport": one_of("sse", "http"),
            "enabled": exactly(True),
            "headers": headers,
            "metadata": opened,
        },
        required=("url",),
    ),
    closed({"enabled": exactly(False), "metadata": opened}, required=("enabled",)),
    what="a local server (command), a remote one (url) or a disabled one (enabled: false)",
)
