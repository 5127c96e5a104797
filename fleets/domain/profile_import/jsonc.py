"""JSON with comments and trailing commas, as editors write it, made plain without moving a line."""

import re
from typing import Final

_PIECE: Final = re.compile(
    r'(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<line>//[^\n]*)|(?P<block>/\*.*?(?:\*/|\Z))|(?P<rest>[^"/]+|.)',
    re.DOTALL,
)
_TRAILING: Final = re.compile(r"(\"(?:[^\"\\\n]|\\.)*\")|,(?=\s*[\]}])", re.DOTALL)


def without_comments(text: str) -> str:
    """The same JSON without what only people read; every place keeps its line and column."""
    plain = _PIECE.sub(_keep_or_blank, text)
    return _TRAILING.sub(lambda found: found[1] or " ", plain)


def _keep_or_blank(found: re.Match[str]) -> str:
    if found["line"] is None and found["block"] is None:
        return found[0]
    return re.sub(r"[^\n]", " ", found[0])
