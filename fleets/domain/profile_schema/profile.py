"""The whole profile. Every object is closed but the records and the open values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.harnesses import HARNESSES
from fleets.domain.profile_schema.config import env
from fleets.domain.profile_schema.issues import Code, Issue, Path
from fleets.domain.profile_schema.mcp import server
from fleets.domain.profile_schema.shapes import (
    Note,
    above_zero,
    boolean,
    closed,
    either,
    filled,
    is_number,
    list_of,
    number,
    one_of,
    opened,
    record,
    text,
    whole_above_zero,
)
from fleets.domain.profile_schema.texts import is_well_formed

# The public validator throws some thousands of levels down; nobody writes a tenth of this.
DEEPEST: Final = 512
EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "ultracode")


@dataclass(frozen=True, slots=True)
class Checked:
    """The profile as it counts (unknown `__proto__` keys dropped), and all that is wrong."""

    profile: Any
    issues: tuple[Issue, ...]


def check_profile(profile: Any) -> Checked:
    """Check parsed JSON against the schema; a sound profile has no issues."""
    if _is_too_deep(profile):
        words = f"is nested more than {DEEPEST} levels deep"
        return Checked(profile, (Issue(Code.CUSTOM, (), words),))
    note: Note = []
    result = _PROFILE(profile, (), note)
    if not note:
        note.extend(_broken_keys(result, ()))
    return Checked(result, tuple(note))


def _ceilings(model: Any, path: Path, note: Note) -> None:
    total = model.get("maxTotalOutputTokens")
    if not is_number(total):
        return
    for name in ("maxVisibleOutputTokens", "maxReasoningTokens"):
        if is_number(model.get(name)) and model[name] > total:
            words = "must not be over maxTotalOutputTokens"
            note.append(Issue(Code.CUSTOM, (*path, name), words))


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [below for one in level for below in _below(one)]
        if not level:
            return False
    return True


def _below(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return value if isinstance(value, list) else []


def _broken_keys(value: Any, path: Path) -> Iterator[Issue]:
    """The rule for keys of open values, which runs over an otherwise sound profile."""
    if isinstance(value, list):
        for at, one in enumerate(value):
            yield from _broken_keys(one, (*path, at))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            if not is_well_formed(key):
                yield Issue(Code.CUSTOM, (*path, key), "half a character in a key")
            yield from _broken_keys(one, (*path, key))


def _namespace(value: Any, path: Path, note: Note) -> Any:
    if not isinstance(value, Mapping):
        note.append(Issue(Code.INVALID_UNION, path, "must be an object"))
    return value


_DECISION: Final = one_of("allow", "ask", "deny")
_PERMISSIONS: Final = record(
    either(_DECISION, record(_DECISION), what="allow, ask or deny, or one record of those")
)
_TOOLS: Final = record(boolean)
_REF: Final = either(
    closed(
        {"kind": one_of("inline"), "name": text, "content": text},
        required=("kind", "name", "content"),
    ),
    closed(
        {"kind": one_of("github"), "path": text, "repository": text, "ref": text, "name": text},
        required=("kind", "path"),
    ),
    what="a resource of kind inline (name, content) or github (path)",
)
_REFS: Final = list_of(_REF)
_MODEL: Final = closed(
    {
        "default": text,
        "small": text,
        "provider": text,
        "reasoningEffort": one_of(*EFFORTS),
        "maxVisibleOutputTokens": whole_above_zero,
        "maxReasoningTokens": whole_above_zero,
        "maxTotalOutputTokens": whole_above_zero,
        "metadata": opened,
    },
    rule=_ceilings,
)
_CONNECTION: Final = closed(
    {"connectionId": filled, "capabilities": list_of(filled, least=1), "alias": filled},
    required=("connectionId", "capabilities"),
)
_MODE: Final = {
    "description": text,
    "model": text,
    "prompt": text,
    "tools": _TOOLS,
    "permissions": _PERMISSIONS,
    "metadata": opened,
}
_RESOURCES: Final = closed(
    {
        "files": list_of(
            closed(
                {"path": text, "resource": _REF, "executable": boolean},
                required=("path", "resource"),
            )
        ),
        "tools": _REFS,
        "skills": _REFS,
        "agents": _REFS,
        "commands": _REFS,
        "instructions": either(text, _REF, what="text, or one resource"),
        "failOnError": boolean,
    }
)
_HOOK: Final = closed(
    {
        "command": text,
        "timeoutMs": above_zero,
        "blocking": boolean,
        "matcher": text,
        "env": env,
    },
    required=("command",),
)
_PROFILE: Final = closed(
    {
        "name": text,
        "description": text,
        "version": text,
        "tags": list_of(text),
        "prompt": closed(
            {"systemPrompt": text, "appendSystemPrompt": text, "instructions": list_of(text)}
        ),
        "model": _MODEL,
        "harness": one_of(*HARNESSES),
        "permissions": _PERMISSIONS,
        "tools": _TOOLS,
        "mcp": record(server),
        "connections": list_of(_CONNECTION),
        "subagents": record(closed({**_MODE, "maxSteps": number})),
        "resources": _RESOURCES,
        "hooks": record(list_of(_HOOK)),
        "modes": record(closed(_MODE)),
        "confidential": closed(
            {
                "tee": text,
                "attestationNonce": text,
                "sealed": boolean,
                "attestationRefresh": boolean,
            }
        ),
        "metadata": opened,
        "extensions": record(_namespace),
    }
)
