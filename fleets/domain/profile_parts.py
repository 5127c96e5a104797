"""The texts that a profile brings along inline: skills, files, commands and the like.

Two are the same when their text is, whatever they are called and however their lines end.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

# Where such texts stand, by what they are called; "*" stands for any one step.
PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "skill": ("resources", "skills", "*"),
    "agent": ("resources", "agents", "*"),
    "command": ("resources", "commands", "*"),
    "tool": ("resources", "tools", "*"),
    "file": ("resources", "files", "*", "resource"),
    "instructions": ("resources", "instructions"),
}
_DIGEST_CHARS: Final = 32


@dataclass(frozen=True, slots=True)
class Part:
    """One inline text: what kind, its name, and its digest."""

    kind: str
    name: str
    text: str

    @property
    def digest(self) -> str:
        """The digest of its text."""
        return text_digest(self.text)


def text_digest(text: str) -> str:
    """The digest of a text, 32 hexadecimal characters; kinds of line ends count as one."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]


def parts_of(body: Mapping[str, Any]) -> tuple[Part, ...]:
    """Every inline text of a body that the schema accepts, in the order of `PLACES`."""
    return tuple(
        Part(kind, one["name"], one["content"])
        for kind, place in PLACES.items()
        for one in _at(body, place)
        if is_inline(one)
    )


def is_inline(value: Any) -> bool:
    """Whether this is a resource with its text in the profile."""
    return isinstance(value, Mapping) and value.get("kind") == "inline"


def _at(value: Any, place: tuple[str, ...]) -> Iterator[Any]:
    if not place:
        yield value
    elif place[0] == "*":
        for one in value if isinstance(value, list) else ():
            yield from _at(one, place[1:])
    elif isinstance(value, Mapping) and place[0] in value:
        yield from _at(value[place[0]], place[1:])
