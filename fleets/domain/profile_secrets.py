"""Secrets in an agent profile: raw keys and what looks like them, wherever they stand.

The second check of a profile, after the schema's own. It finds by form (`sk-…`), by name (a value
under `accessToken`, after `--api-key`) and, in running text, by both (`API_KEY=…`). It names the
place and says what would be right; it never repeats a value, nor a name that is itself a secret.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from fleets.domain.credentials import credential_spans, denotes_credential
from fleets.domain.errors import Problem
from fleets.domain.profile_schema.issues import Code, Issue, Path
from fleets.domain.profile_schema.shapes import show_path
from fleets.domain.raw_keys import is_key_name
from fleets.domain.raw_values import (
    SHORTEST_UNNAMED,
    is_digest,
    is_placeholder,
    is_raw,
    looks_random,
    may_name_secret,
    names_secret,
)

HIDDEN: Final = "…"
_LONGEST_STEP: Final = 60
_SHORTEST_WORD_OF_PATH: Final = 40
_SHORTEST_PIN: Final = 1_000
_ASSIGNED: Final = re.compile(
    r"(?<![A-Za-z0-9_-])-{0,2}(?P<name>[A-Za-z][A-Za-z0-9_-]{1,60})[\"'`]?"
    r"[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}[\"'`]?(?P<value>[^\s\"'`,;]{8,})"
)
_FLAGGED: Final = re.compile(
    r"(?<![A-Za-z0-9_-])--(?P<name>[A-Za-z][A-Za-z0-9_-]{1,60})"
    r"[ \t]{1,4}[\"'`]?(?P<value>[^\s\"'`,;]{8,})"
)
_ARGUMENT: Final = re.compile(r"-{0,2}([A-Za-z][A-Za-z0-9_-]{1,60})[ \t]*[=:][ \t]*(.+)", re.DOTALL)
_BASIC: Final = re.compile(r"\bBasic\s+([A-Za-z0-9+/]{8,}={0,2})", re.ASCII)

_BY_REFERENCE: Final = 'name a secret instead: {"kind": "secret-ref", "key": "NAME"}.'
_CONFIG: Final = frozenset({"env", "environment", "headers", "http_headers", "args"})
_BY_HEADER: Final = "take it out of the address and send it in a header of kind secret-ref."
_BY_VARIABLE: Final = (
    "take it out; store it as a secret of the machine and speak of its variable (apiKeyEnv names"
    " the one of the model)."
)


@dataclass(frozen=True, slots=True)
class _Found:
    path: Path
    what: str
    line_in_text: int = 1

    def message(self) -> str:
        where = f" in line {self.line_in_text} of this text" if self.line_in_text > 1 else ""
        return f"{self.what}{where} is refused: {_remedy(self.path)}"


@dataclass(frozen=True, slots=True)
class _Span:
    what: str
    line: int


def find_secrets(body: Any) -> list[Issue]:
    """Every secret in a profile, in reading order. Paths may be shown: a secret name is "…" there.

    Any JSON is taken, also what the schema refuses, so that a refusal never echoes a secret.
    """
    return [Issue(Code.CUSTOM, safe_path(one.path), one.message()) for one in _all(body)]


def secret_problems(body: Any, *, line_of: Callable[[Path], int]) -> list[Problem]:
    """The same with the line of the source each stands in, as a person reads it."""
    return [
        Problem(f"Line {line_of(one.path)}, {show_path(safe_path(one.path))}", one.message())
        for one in _all(body)
    ]


def safe_path(path: Path) -> Path:
    """A path as it may be told: names that are secrets are hidden, long ones cut."""
    return tuple(step if isinstance(step, int) else safe_name(step) for step in path)


def safe_name(name: str) -> str:
    """A name as it may be told: one that is a secret is hidden, a long one cut."""
    if any(True for _ in _spans(name)):
        return HIDDEN
    return name if len(name) <= _LONGEST_STEP else f"{name[:_LONGEST_STEP]}{HIDDEN}"


def _remedy(path: Path) -> str:
    if "url" in path[-1:]:
        return _BY_HEADER
    return _BY_REFERENCE if _CONFIG & set(path) else _BY_VARIABLE


def _all(body: Any) -> Iterator[_Found]:
    """Walk in reading order with, for each value, the name that it stands under."""
    waiting: list[tuple[Path, Any, str]] = [((), body, "")]
    while waiting:
        path, value, name = waiting.pop()
        if isinstance(value, Mapping):
            yield from _names(path, value)
            below = [((*path, key), one, _name_of(key, name, value)) for key, one in value.items()]
        elif isinstance(value, list):
            named = [name, *map(_flag, value)]
            below = [((*path, at), one, named[at] or name) for at, one in enumerate(value)]
        else:
            below = []
            found = _in_value(path, value, name)
            if found is not None:
                yield found
        waiting += reversed(below)


def _names(path: Path, value: Mapping[Any, Any]) -> Iterator[_Found]:
    for key in value:
        for span in _spans(str(key)):
            yield _Found((*path, key), f"a name that is {span.what}")
            break


def _name_of(key: str, outer: str, within: Mapping[Any, Any]) -> str:
    """What a value is called: its key, but for a config value the name that one stands under."""
    kind = within.get("kind")
    if kind == "public" and key == "value":
        return outer
    if kind == "secret-ref":
        return ""
    return outer if key == "value" and outer else str(key)


def _flag(value: Any) -> str:
    """The name an argument gives to the next one: `--api-key`."""
    text = value.get("value") if isinstance(value, Mapping) else value
    if not isinstance(text, str) or len(text) > _LONGEST_STEP or set("= :") & set(text):
        return ""
    return text.lstrip("-") if text.startswith("-") else ""


def _in_value(path: Path, value: Any, name: str) -> _Found | None:
    if isinstance(value, int) and not isinstance(value, bool):
        is_secret = names_secret(name) and "password" in name.lower() and value >= _SHORTEST_PIN
        return _Found(path, "what stands under the name of a secret") if is_secret else None
    if not isinstance(value, str):
        return None
    for span in _spans(value):
        return _Found(path, span.what, span.line)
    given = _ARGUMENT.fullmatch(value) if {"args", "headers"} & set(path) else None
    if given and names_secret(given[1]) and is_raw(given[2]):
        return _Found(path, "a value given to the name of a secret")
    if _is_secret_by_name(value, name):
        what = "a raw key" if is_key_name(name) else "what stands under the name of a secret"
        return _Found(path, what)
    if path[-1:] == ("url",) and _has_secret_path(value):
        return _Found(path, "an address with what looks like a key in it")
    return None


def _is_secret_by_name(value: str, name: str) -> bool:
    if names_secret(name) or is_key_name(name):
        return is_raw(value)
    is_random = looks_random(value, shortest=SHORTEST_UNNAMED) and not is_digest(value)
    return may_name_secret(name) and is_random


def _spans(text: str) -> Iterator[_Span]:
    """What in a text has the form of a credential, or is given to the name of one."""
    for span in credential_spans(text):
        piece = text[span.start : span.end]
        if not _is_example(piece):
            yield _span(text, span.start, span.form)
    for match in _BASIC.finditer(text) if "Basic" in text else ():
        if _is_basic(match[1]):
            yield _span(text, match.start(), "a user with a password (Basic …)")
    assigned = _ASSIGNED.finditer(text) if "=" in text or ":" in text else ()
    flagged = _FLAGGED.finditer(text) if "--" in text else ()
    for match in (*assigned, *flagged):
        if names_secret(match["name"]) and looks_random(match["value"].rstrip(".)]}:?!")):
            yield _span(text, match.start(), "a value given to the name of a secret")


def _span(text: str, offset: int, what: str) -> _Span:
    return _Span(what, text.count("\n", 0, offset) + 1)


def _is_example(piece: str) -> bool:
    if "://" not in piece:
        return is_placeholder(piece)
    parts = urlsplit(piece)
    if parts.password:
        return not is_raw(unquote(parts.password))
    if parts.username and looks_random(unquote(parts.username)):
        return False
    given = parse_qsl(parts.query, keep_blank_values=True)
    return not any(denotes_credential(name) and is_raw(value) for name, value in given)


def _is_basic(word: str) -> bool:
    try:
        plain = base64.b64decode(word + "=" * (-len(word) % 4), validate=True)
    except binascii.Error:
        return False
    _, colon, password = plain.decode("latin-1").partition(":")
    return bool(colon) and plain.isascii() and is_raw(password)


def _has_secret_path(url: str) -> bool:
    """Whether a long random word stands in the path, as addresses of hosted servers carry keys."""
    try:
        words = urlsplit(url).path.split("/")
    except ValueError:
        return False
    return any(
        looks_random(word, shortest=_SHORTEST_WORD_OF_PATH)
        and not is_digest(word)
        and word.lower() != word
        for word in words
    )
