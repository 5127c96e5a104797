"""How structured parts of a profile are written as lines of text, and read back.

A value that is a secret's name is written `secret:NAME` or `secret:NAME bearer`; everything else is
a public value. Reading never fails: what is wrong goes into the body as it is, and the check of the
body says so at its place. `show_*` gives None for what has no such form.
"""

from collections.abc import Mapping
from typing import Any, Final

_BY_NAME: Final = "secret:"
_BEARER: Final = " bearer"
_EQUALS: Final = " = "
_BELOW: Final = " > "
_WORDS_OF: Final = {True: "on", False: "off"}
LOCAL: Final = "local"
REMOTE: Final = "remote"
SSE: Final = "remote, sse"
HTTP: Final = "remote, http"
OFF: Final = "off"
KINDS: Final = (LOCAL, REMOTE, SSE, HTTP, OFF)


def show_whole(value: Any) -> str | None:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return str(value) if abs(value) < 10**15 else None


def read_whole(text: str) -> Any:
    """The number, or the text as it is."""
    digits = text.strip().replace(",", "").replace("_", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else text


def show_words(value: Any) -> str | None:
    """Words separated by commas."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return None
    return ", ".join(value)


def read_words(text: str) -> Any:
    """The words, empty ones left out."""
    return [word.strip() for word in text.split(",") if word.strip()]


def show_rules(value: Any) -> str | None:
    """Permissions: `edit = ask`, and below a tool `bash > git * = allow`."""
    if not isinstance(value, Mapping):
        return None
    rows = []
    for name, decision in value.items():
        if isinstance(decision, Mapping):
            rows += [f"{name}{_BELOW}{what}{_EQUALS}{one}" for what, one in decision.items()]
            if not decision:
                return None
        else:
            rows.append(f"{name}{_EQUALS}{decision}")
    return "\n".join(rows)


def read_rules(text: str) -> Any:
    """The permissions of these lines."""
    found: dict[str, Any] = {}
    for name, decision in _pairs(text):
        tool, below, what = name.partition(_BELOW.rstrip())
        if not below:
            found[name] = decision
            continue
        inner = found.setdefault(tool.strip(), {})
        if isinstance(inner, dict):
            inner[what.strip()] = decision
        else:
            found[name] = decision
    return found


def show_switches(value: Any) -> str | None:
    """Tools: `webfetch = off`."""
    if not isinstance(value, Mapping) or not all(isinstance(one, bool) for one in value.values()):
        return None
    return "\n".join(f"{name}{_EQUALS}{_WORDS_OF[one]}" for name, one in value.items())


def read_switches(text: str) -> Any:
    """The tools of these lines; a word that is neither on nor off stays a word."""
    meant = {word: one for one, word in _WORDS_OF.items()}
    return {name: meant.get(word, word) for name, word in _pairs(text)}


def show_reference(value: Any) -> str:
    """A resource that is kept elsewhere, in a few words."""
    if not isinstance(value, Mapping):
        return ""
    where = (value.get("name"), value.get("repository"), value.get("path"))
    return " ".join(str(one) for one in where if one)


def show_server(name: str, server: Any) -> dict[str, str] | None:
    """The five parts of an MCP server."""
    if not isinstance(server, Mapping):
        return None
    if server.get("enabled") is False:
        return {"name": name, "kind": OFF, "where": "", "args": "", "values": ""}
    if "url" in server:
        kinds = {None: REMOTE, "sse": SSE, "http": HTTP}
        kind, where, field = kinds.get(server.get("transport")), server["url"], "headers"
    else:
        kind = LOCAL if server.get("transport") is None else None
        where, field = server.get("command"), "env"
    args = [_show_value(one) for one in server.get("args") or ()]
    values = _show_values(server.get(field))
    if kind is None or values is None or not isinstance(where, str) or None in args:
        return None
    shown = "\n".join(one or "" for one in args)
    return {"name": name, "kind": kind, "where": where, "args": shown, "values": values}


def read_server(parts: Mapping[str, str], before: Mapping[str, Any]) -> tuple[str, Any]:
    """Name and server of these parts. What the form has no part for is taken over from before,
    as far as the kind of server knows it.
    """
    kind = parts["kind"] or (REMOTE if "://" in parts["where"] else LOCAL)
    written: dict[str, Any] = {}
    args = [_read_value(line) for line in parts["args"].split("\n") if line.strip()]
    values = {name: _read_value(one) for name, one in _pairs(parts["values"])}
    if kind == OFF:
        # Typed for a server that was off already, it is kept, so that the check can speak of it.
        typed = {"url": parts["where"], "args": args, "headers": values}
        written = typed if before.get("enabled") is False else {}
        written = {"enabled": False, **{name: one for name, one in written.items() if one}}
        return parts["name"], _ordered(written, before, ("metadata",))
    if kind == LOCAL:
        written["command"] = parts["where"]
        _fill(written, before, args=args, env=values)
        return parts["name"], _ordered(written, before, ("enabled", "cwd", "metadata"))
    written["url"] = parts["where"]
    if kind in (SSE, HTTP):
        written["transport"] = "sse" if kind == SSE else "http"
    _fill(written, before, args=args, headers=values)
    return parts["name"], _ordered(written, before, ("enabled", "metadata"))


def _fill(written: dict[str, Any], before: Mapping[str, Any], **found: Any) -> None:
    """What was typed; nothing typed leaves an empty one as it was."""
    empty = {name for name, value in found.items() if not value and before.get(name) != value}
    written.update({name: value for name, value in found.items() if name not in empty})


def _ordered(
    written: dict[str, Any], before: Mapping[str, Any], kept: tuple[str, ...]
) -> dict[str, Any]:
    if before.get("enabled") is False and written.get("enabled") is not False:
        kept = tuple(name for name in kept if name != "enabled")
    found = {**{name: before[name] for name in kept if name in before}, **written}
    return {name: found[name] for name in [*before, *written] if name in found}


def _show_values(values: Any) -> str | None:
    if values is None:
        return ""
    if not isinstance(values, Mapping):
        return None
    rows = []
    for name, one in values.items():
        shown = _show_value(one)
        if shown is None or not name:
            return None
        rows.append(f"{name}{_EQUALS}{shown}")
    return "\n".join(rows)


def _show_value(value: Any) -> str | None:
    if not isinstance(value, Mapping):
        return None
    if value.get("kind") == "public" and isinstance(value.get("value"), str):
        return str(value["value"])
    if value.get("kind") == "secret-ref" and isinstance(value.get("key"), str):
        ending = _BEARER if value.get("format") == "bearer" else ""
        return f"{_BY_NAME}{value['key']}{ending}"
    return None


def _read_value(text: str) -> Any:
    text = text.strip()
    if not text.startswith(_BY_NAME):
        return {"kind": "public", "value": text}
    key = text.removeprefix(_BY_NAME)
    if key.endswith(_BEARER):
        return {"kind": "secret-ref", "key": key.removesuffix(_BEARER), "format": "bearer"}
    return {"kind": "secret-ref", "key": key}


def _pairs(text: str) -> list[tuple[str, str]]:
    """`name = value` a line; without an equals sign the value is empty."""
    found = []
    for line in text.split("\n"):
        if line.strip():
            name, _, value = line.partition("=")
            found.append((name.strip(), value.strip()))
    return found
