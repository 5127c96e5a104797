"""The common fields of a profile as a form shows them, and what a changed one does to the body.

The body is the truth. A field is written only when it was changed, so what a form cannot show
stays as it was; a value that a field cannot hold exactly is locked: shown, and left to the source.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain import profile_form_lines as lines
from fleets.domain.json_lines import Path
from fleets.domain.profile_diff import MISSING, same

NEW: Final = "new"
_REMOVE: Final = "remove"


@dataclass(frozen=True, slots=True)
class FormField:
    """One field: its name in the form, where it stands in the body, what it shows.

    `is_locked`: the form cannot hold the value exactly.
    """

    name: str
    path: Path
    text: str
    is_locked: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """How a value becomes text and back. `read` is never asked of "": that is no field."""

    show: Callable[[Any], str | None]
    read: Callable[[str], Any]
    is_one_line: bool = True


def _show_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _read_text(text: str) -> Any:
    return text


_LINE: Final = Kind(_show_text, _read_text)
_TEXT: Final = Kind(_show_text, _read_text, is_one_line=False)
_WHOLE: Final = Kind(lines.show_whole, lines.read_whole)
_WORDS: Final = Kind(lines.show_words, lines.read_words)
_ROWS: Final = Kind(lines.show_rules, lines.read_rules, is_one_line=False)
_SWITCHES: Final = Kind(lines.show_switches, lines.read_switches, is_one_line=False)

# Name in the form → where it stands, and how.
FIELDS: Final[Mapping[str, tuple[Path, Kind]]] = {
    "name": (("name",), _LINE),
    "description": (("description",), _TEXT),
    "tags": (("tags",), _WORDS),
    "harness": (("harness",), _LINE),
    "model": (("model", "default"), _LINE),
    "small": (("model", "small"), _LINE),
    "provider": (("model", "provider"), _LINE),
    "effort": (("model", "reasoningEffort"), _LINE),
    "visible": (("model", "maxVisibleOutputTokens"), _WHOLE),
    "reasoning": (("model", "maxReasoningTokens"), _WHOLE),
    "total": (("model", "maxTotalOutputTokens"), _WHOLE),
    "system": (("prompt", "systemPrompt"), _TEXT),
    "append": (("prompt", "appendSystemPrompt"), _TEXT),
    "permissions": (("permissions",), _ROWS),
    "tools": (("tools",), _SWITCHES),
}
_INSTRUCTIONS: Final[Path] = ("prompt", "instructions")
_SKILLS: Final[Path] = ("resources", "skills")
_SERVERS: Final[Path] = ("mcp",)


def fields_of(body: Any) -> dict[str, FormField]:
    """Every field of the form for this body, in reading order."""
    found = [_field(name, path, kind, body) for name, (path, kind) in FIELDS.items()]
    for part in (_instructions, _skills, _servers):
        found += part(body)
    return {field.name: field for field in found}


def apply(body: Any, typed: Mapping[str, str]) -> Any:
    """The body with every field that was changed; `body` itself when none was.

    Names that are no field of this body, and locked fields, change nothing.
    """
    shown = fields_of(body)
    changed = {
        name: _plain(typed[name])
        for name, field in shown.items()
        if name in typed and not field.is_locked and _plain(typed[name]) != field.text
    }
    removed = {name for name in typed if name.endswith(f"-{_REMOVE}") and typed[name]}
    if not changed and not removed:
        return body
    for name in (name for name in FIELDS if name in changed):
        path, kind = FIELDS[name]
        text = changed[name]
        body = put(body, path, kind.read(text) if text.strip() else MISSING)
    now = {name: changed.get(name, field.text) for name, field in shown.items()}
    touched = changed.keys() | removed
    for start, path, write in (
        ("instructions-", _INSTRUCTIONS, _written_instructions),
        ("skill-", _SKILLS, _written_skills),
        ("mcp-", _SERVERS, _written_servers),
    ):
        if any(name.startswith(start) for name in touched):
            body = put(body, path, write(at(body, path), now, touched, removed))
    return body


def at(body: Any, path: Path) -> Any:
    """What stands at a path, `MISSING` for nothing."""
    for step in path:
        if not isinstance(body, Mapping) or step not in body:
            return MISSING
        body = body[step]
    return body


def put(body: Any, path: Path, value: Any) -> Any:
    """The body with this value there; `MISSING` takes it away, and what is empty around it."""
    step, *below = path
    own = dict(body) if isinstance(body, Mapping) else {}
    if below:
        value = put(own.get(step, {}), tuple(below), value)
        value = MISSING if value == {} else value
    if value is MISSING:
        own.pop(step, None)
    else:
        own[step] = value
    return own


def can_be_typed(text: str, *, is_one_line: bool) -> bool:
    """Whether a browser's field gives this text back exactly as it was shown."""
    allowed = "\t" if is_one_line else "\t\n"
    return all(
        char in allowed or (char >= " " and not "\x7f" <= char <= "\x9f" and not _is_half(char))
        for char in text
    ) and not (is_one_line and "\t" in text)


def _is_half(char: str) -> bool:
    return "\ud800" <= char <= "\udfff"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_open(body: Any, path: Path) -> bool:
    """Whether everything above a path is an object, or not there yet."""
    for step in path[:-1]:
        if not isinstance(body, Mapping):
            return False
        if step not in body:
            return True
        body = body[step]
    return isinstance(body, Mapping)


def _field(name: str, path: Path, kind: Kind, body: Any) -> FormField:
    if not _is_open(body, path):
        return FormField(name, path, "", is_locked=True)
    value = at(body, path)
    if value is MISSING:
        return FormField(name, path, "")
    return _shown(name, path, value, kind)


def _shown(name: str, path: Path, value: Any, kind: Kind) -> FormField:
    text = kind.show(value)
    if text is None or not can_be_typed(text, is_one_line=kind.is_one_line):
        return FormField(name, path, "" if text is None else text, is_locked=True)
    is_exact = same(kind.read(text), value) if text.strip() else text == ""
    return FormField(name, path, text, is_locked=not is_exact)


def _instructions(body: Any) -> Iterator[FormField]:
    value = at(body, _INSTRUCTIONS)
    entries = value if isinstance(value, list) else []
    for place, one in enumerate(entries):
        yield _shown(f"instructions-{place}", (*_INSTRUCTIONS, place), one, _TEXT)
    is_locked = not _is_open(body, _INSTRUCTIONS) or not isinstance(value, list | type(MISSING))
    yield FormField(f"instructions-{NEW}", (*_INSTRUCTIONS, len(entries)), "", is_locked)


def _written_instructions(
    value: Any, now: Mapping[str, str], touched: set[str], removed: set[str]
) -> Any:
    entries = []
    for place, one in enumerate(value if isinstance(value, list) else []):
        name = f"instructions-{place}"
        if name in touched:
            if now[name].strip():
                entries.append(now[name])
        elif f"{name}-{_REMOVE}" not in removed:
            entries.append(one)
    if now[f"instructions-{NEW}"].strip():
        entries.append(now[f"instructions-{NEW}"])
    return entries or MISSING


def _skills(body: Any) -> Iterator[FormField]:
    value = at(body, _SKILLS)
    entries = value if isinstance(value, list) else []
    for place, one in enumerate(entries):
        is_inline = isinstance(one, Mapping) and one.keys() == {"kind", "name", "content"}
        is_inline = is_inline and one["kind"] == "inline"
        for part, kind in (("name", _LINE), ("content", _TEXT)):
            name, path = f"skill-{place}-{part}", (*_SKILLS, place, part)
            if is_inline:
                yield _shown(name, path, one[part], kind)
            else:
                text = lines.show_reference(one) if part == "name" else ""
                yield FormField(name, path, text, is_locked=True)
    is_locked = not _is_open(body, _SKILLS) or not isinstance(value, list | type(MISSING))
    for part in ("name", "content"):
        path = (*_SKILLS, len(entries), part)
        yield FormField(f"skill-{NEW}-{part}", path, "", is_locked)


def _written_skills(
    value: Any, now: Mapping[str, str], touched: set[str], removed: set[str]
) -> Any:
    entries = []
    for place, one in enumerate(value if isinstance(value, list) else []):
        start = f"skill-{place}"
        parts = [f"{start}-name", f"{start}-content"]
        if f"{start}-{_REMOVE}" in removed:
            continue
        if not touched & set(parts):
            entries.append(one)
        elif any(now[part].strip() for part in parts):
            entries.append({**one, "name": now[parts[0]], "content": now[parts[1]]})
    name, content = now[f"skill-{NEW}-name"], now[f"skill-{NEW}-content"]
    if name.strip() or content.strip():
        entries.append({"kind": "inline", "name": name, "content": content})
    return entries or MISSING


_PARTS: Final = ("name", "kind", "where", "args", "values")


def _servers(body: Any) -> Iterator[FormField]:
    value = at(body, _SERVERS)
    servers = value if isinstance(value, Mapping) else {}
    for place, (name, server) in enumerate(servers.items()):
        shown = lines.show_server(name, server)
        is_exact = shown is not None and same(
            {name: server}, dict([lines.read_server(shown, server)])
        )
        is_exact = is_exact and all(
            can_be_typed(text, is_one_line=part not in ("args", "values"))
            for part, text in (shown or {}).items()
        )
        for part in _PARTS:
            text = (shown or {"name": name}).get(part, "")
            yield FormField(f"mcp-{place}-{part}", (*_SERVERS, name), text, not is_exact)
    is_locked = not isinstance(body, Mapping) or not isinstance(value, Mapping | type(MISSING))
    for part in _PARTS:
        yield FormField(f"mcp-{NEW}-{part}", (*_SERVERS, ""), "", is_locked)


def _written_servers(
    value: Any, now: Mapping[str, str], touched: set[str], removed: set[str]
) -> Any:
    servers: dict[str, Any] = {}
    for place, (name, server) in enumerate((value if isinstance(value, Mapping) else {}).items()):
        start = f"mcp-{place}"
        if f"{start}-{_REMOVE}" in removed:
            continue
        typed = {part: now[f"{start}-{part}"] for part in _PARTS}
        if not any(f"{start}-{part}" in touched for part in _PARTS):
            servers[name] = server
        elif any(text.strip() for part, text in typed.items() if part != "kind"):
            key, written = lines.read_server(typed, server)
            servers[_free(key, servers)] = written
    typed = {part: now[f"mcp-{NEW}-{part}"] for part in _PARTS}
    if any(text.strip() for part, text in typed.items() if part != "kind"):
        key, written = lines.read_server(typed, {})
        servers[_free(key, servers)] = written
    return servers or MISSING


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """The name, numbered where another server has it: none takes the place of another."""
    numbered = (f"{name}-{count}" for count in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)
