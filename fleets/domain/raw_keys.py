"""Secrets in a file of agents: found by name and by form, named by their place, never repeated."""

from collections.abc import Iterator
from typing import Any, Final

from fleets.domain.canonical_json import is_finite
from fleets.domain.credentials import find_credentials
from fleets.domain.json_lines import Path, nodes

RAW_KEY: Final = (
    "a raw key is refused. Store it as a secret of the machine and name its variable with"
    " apiKeyEnv."
)
_NO_TEXT: Final = "has characters in it that are not text."


def is_key_name(name: object) -> bool:
    """Whether a field of this name holds a key: `apiKey` in any spelling."""
    return isinstance(name, str) and name.replace("_", "").replace("-", "").lower() == "apikey"


def unfit_places(value: Any) -> Iterator[tuple[Path, str]]:
    """Every place that must not travel, with the reason: keys, credentials, broken text."""
    for path, one in nodes(value):
        reason = _reason(path[-1] if path else "", one)
        if reason:
            yield path, reason


def _reason(name: str | int, value: Any) -> str:
    if isinstance(name, str) and not _is_text(name):
        return _NO_TEXT
    if isinstance(name, str) and find_credentials(name):
        return "a name here looks like a credential."
    if is_key_name(name) and not _is_reference(value):
        return RAW_KEY
    if isinstance(value, str):
        found = find_credentials(value) if _is_text(value) else ()
        if found:
            return f"{found[0].form} is refused. Name a secret of the machine instead."
    return unstorable(value)


def unstorable(value: Any) -> str:
    """Why no JSON that travels, and no database, can hold this one text or number; "" if it can."""
    if isinstance(value, str) and not _is_text(value):
        return _NO_TEXT
    if isinstance(value, int | float) and not is_finite(value):
        return "a number too large to travel."
    return ""


def _is_reference(value: Any) -> bool:
    """Whether it only names a secret, or is a switch that can hold none."""
    if isinstance(value, dict):
        return value.get("kind") == "secret-ref"
    return value is None or isinstance(value, bool)


def _is_text(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)
