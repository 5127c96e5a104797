"""What a profile may hold (contract 6.1): every object is closed, secrets are only named."""

import re
from typing import Any
from urllib.parse import urlsplit

from emulator.errors import bad_request
from emulator.harnesses import HARNESSES
from emulator.shapes import (
    Check,
    closed,
    either,
    filled,
    flag,
    from_up,
    kind,
    listed,
    one_of,
    open_object,
    record,
    text,
)
from emulator.strict import NUMBER

_CREDENTIAL_NAME = re.compile(
    r"(?:^|[_-])(?:api[_-]?key|access[_-]?key|private[_-]?key|database[_-]?url|token|secret|"
    r"password|credentials?|authorization|cookie|dsn|pat)(?:$|[_-])",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(
    r"\bsk[-_][A-Za-z0-9_-]{10,}|\bgh[pousr]_[A-Za-z0-9]{12,}|\bgithub_pat_\w{12,}"
    r"|\bAKIA[A-Z0-9]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|\bBearer\s+\S"
)
_COMMAND = re.compile(r"/?(?!\.{1,2}(?:/|$))[\w.+-]+(?:/(?!\.{1,2}(?:/|$))[\w.+-]+)*", re.ASCII)
_SHELLS = {"sh", "bash", "zsh", "fish", "cmd", "cmd.exe", "powershell", "pwsh"}
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "ultracode")


def _plain(value: Any, where: str) -> None:
    text(value, where)
    if _CREDENTIAL.search(value):
        raise bad_request(f"{where} looks like a credential.", field=where)


_PUBLIC = closed({"kind": one_of("public"), "value": _plain}, required=("kind", "value"))
_REF = closed(
    {"kind": one_of("secret-ref"), "key": filled(500), "format": one_of("raw", "bearer")},
    required=("kind", "key"),
)


def _value(value: Any, where: str) -> None:
    is_ref = isinstance(value, dict) and value.get("kind") == "secret-ref"
    (_REF if is_ref else _PUBLIC)(value, where)


def _values(value: Any, where: str) -> None:
    record(_value)(value, where)
    for name, one in value.items():
        if _CREDENTIAL_NAME.search(name) and one["kind"] == "public":
            raise bad_request(f"{where}.{name} needs a secret-ref.", field=f"{where}.{name}")


def _command(value: Any, where: str) -> None:
    text(value, where)
    if _COMMAND.fullmatch(value) is None or value.rpartition("/")[2].lower() in _SHELLS:
        raise bad_request(f"{where} must be a plain executable.", field=where)


def _folder(value: Any, where: str) -> None:
    text(value, where)
    parts = value.split("/")
    if value != "." and (
        any(part in ("", ".", "..", ".git", ".sidecar") for part in parts)
        or re.search(r"[\x00-\x1f\x7f\\]|^[A-Za-z]:", value)
    ):
        raise bad_request(f"{where} must be relative to the workspace.", field=where)


def _url(value: Any, where: str) -> None:
    _plain(value, where)
    try:
        parts = urlsplit(value.strip())
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != -1
        secret = parts.username is not None or parts.password is not None
    except ValueError:
        sound, secret = False, False
    if not sound or secret:
        raise bad_request(f"{where} must be http(s), without credentials.", field=where)


def _is(wanted: bool) -> Check:  # noqa: FBT001 - the literal itself
    def check(value: Any, where: str) -> None:
        if value is not wanted:
            raise bad_request(f"{where} must be {str(wanted).lower()} here.", field=where)

    return check


_LOCAL = closed(
    {"transport": one_of("stdio"), "command": _command, "args": listed(_value), "env": _values,
     "cwd": _folder, "enabled": _is(True), "metadata": open_object},
    required=("command",),
)  # fmt: skip
_REMOTE = closed(
    {"transport": one_of("sse", "http"), "url": _url, "headers": _values, "enabled": _is(True),
     "metadata": open_object},
    required=("url",),
)  # fmt: skip
_DISABLED = closed({"enabled": _is(False), "metadata": open_object}, required=("enabled",))


def _server(value: Any, where: str) -> None:
    open_object(value, where)
    if "command" in value:
        _LOCAL(value, where)
    else:
        (_REMOTE if "url" in value else _DISABLED)(value, where)


_WORD = one_of("allow", "ask", "deny")
_PERMISSIONS = record(either(record(_WORD), _WORD))
_GIVEN = closed(
    {"kind": one_of("inline"), "name": text, "content": text}, required=("kind", "name", "content")
)
_GITHUB = closed(
    {"kind": one_of("github"), "repository": text, "path": text, "ref": text, "name": text},
    required=("kind", "path"),
)


def _resource(value: Any, where: str) -> None:
    is_github = isinstance(value, dict) and value.get("kind") == "github"
    (_GITHUB if is_github else _GIVEN)(value, where)


_MOUNT = closed(
    {"path": text, "resource": _resource, "executable": flag}, required=("path", "resource")
)
_MODE = {
    "description": text, "model": text, "prompt": text, "tools": record(flag),
    "permissions": _PERMISSIONS, "metadata": open_object,
}  # fmt: skip
_LIMITS = ("maxVisibleOutputTokens", "maxReasoningTokens", "maxTotalOutputTokens")
_MODEL_SHAPE = closed(
    {"default": text, "small": text, "provider": text, "reasoningEffort": one_of(*_EFFORTS),
     **dict.fromkeys(_LIMITS, from_up(1)), "metadata": open_object}
)  # fmt: skip


def _model(value: Any, where: str) -> None:
    _MODEL_SHAPE(value, where)
    most = value.get(_LIMITS[2])
    for name in _LIMITS[:2]:
        if most is not None and value.get(name, 0) > most:
            raise bad_request(f"{where}.{name} is above {_LIMITS[2]}.", field=f"{where}.{name}")


PROFILE = {
    "name": text,
    "description": text,
    "version": text,
    "tags": listed(text),
    "harness": one_of(*HARNESSES),
    "prompt": closed(
        {"systemPrompt": text, "appendSystemPrompt": text, "instructions": listed(text)}
    ),
    "model": _model,
    "permissions": _PERMISSIONS,
    "tools": record(flag),
    "mcp": record(_server),
    "connections": listed(
        closed(
            {"connectionId": filled(), "capabilities": listed(filled(), least=1),
             "alias": filled()},
            required=("connectionId", "capabilities"),
        )
    ),
    "subagents": record(closed({**_MODE, "maxSteps": kind(NUMBER)})),
    "resources": closed(
        {"files": listed(_MOUNT), "instructions": either(text, _resource), "failOnError": flag,
         **dict.fromkeys(("tools", "skills", "agents", "commands"), listed(_resource))}
    ),
    "hooks": record(
        listed(
            closed(
                {"command": text, "timeoutMs": kind(NUMBER), "blocking": flag, "matcher": text,
                 "env": _values},
                required=("command",),
            )
        )
    ),
    "modes": record(closed(_MODE)),
    "confidential": closed(
        {"tee": text, "attestationNonce": text, "sealed": flag, "attestationRefresh": flag}
    ),
    "metadata": open_object,
    "extensions": record(open_object),
    "seats": listed(open_object),
}  # fmt: skip
_PROFILE = closed(PROFILE)


def check_profile(profile: Any, *, where: str) -> None:
    """400 that names the first field which the schema does not allow."""
    _PROFILE(profile, where)
