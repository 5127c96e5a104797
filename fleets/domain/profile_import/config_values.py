"""Variables, headers and arguments of other programs as config values: public, or a secret by name.

References are understood in the ways programs write them: `${NAME}`, `$NAME`, `{env:NAME}`,
`${env:NAME}`, `${input:name}`, alone or after `Bearer`.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from fleets.domain.json_lines import Path
from fleets.domain.profile_import.candidate_builder import CandidateBuilder

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_.-]*"
_REFERENCE: Final = re.compile(
    rf"(?P<bearer>Bearer\s+)?(?:\$\{{(?:env:|input:)?(?P<braced>{_NAME})(?P<default>:-[^}}]{{0,200}})?\}}"
    rf"|\{{env:(?P<opencode>{_NAME})\}}|\$(?P<plain>[A-Za-z_]\w*))",
    re.IGNORECASE,
)
_INSIDE: Final = re.compile(
    rf"\$\{{(?:env:|input:)?{_NAME}(?::-[^}}]{{0,200}})?\}}|\{{env:{_NAME}\}}"
)
_FILE: Final = re.compile(r"\{file:[^}]{1,200}\}")


def secret_ref(key: str, *, is_bearer: bool = False) -> dict[str, Any]:
    """A config value that names a secret."""
    value = {"kind": "secret-ref", "key": key}
    return {**value, "format": "bearer"} if is_bearer else value


def put_values(builder: CandidateBuilder, values: Any, *, path: Path, at: Path) -> None:
    """An object of variables or headers."""
    if not isinstance(values, Mapping):
        builder.refuse(at, "must be names with their values.")
        return
    for name, value in values.items():
        made = config_value(builder, value, at=(*at, name))
        if made is not None:
            builder.put((*path, name), made, at=(*at, name))


def config_value(builder: CandidateBuilder, value: Any, *, at: Path) -> dict[str, Any] | None:
    """One value; None when it cannot be said, which is then noted as a problem."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, int):
        value = str(value)
    if not isinstance(value, str):
        builder.refuse(at, "must be text: put it in quotes.")
        return None
    found = _REFERENCE.fullmatch(value.strip())
    if found is not None:
        if found["default"]:
            builder.lose(at, "its default has no place: the secret must exist")
        key = found["braced"] or found["opencode"] or found["plain"]
        return secret_ref(key, is_bearer=bool(found["bearer"]))
    if _INSIDE.search(value) or _FILE.search(value):
        words = "mixes text and a reference: name one secret that holds the whole value."
        builder.refuse(at, words)
        return None
    return {"kind": "public", "value": value}
