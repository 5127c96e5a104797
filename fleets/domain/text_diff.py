"""Two texts side by side: which lines differ, and which words in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

CONTEXT_LINES: Final = 3
# Beyond these, comparing takes longer than anybody waits: lines are then marked as a whole.
MOST_LINES: Final = 4_000
MOST_WORDS: Final = 400
_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")

# Lines less alike than this have no words marked: the marks would say less than the lines.
ALIKE: Final = 0.5
# Pieces of a line: (text, whether it differs from the line beside it).
Pieces = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One line of one text; `number` counts from 1."""

    number: int
    pieces: Pieces

    @property
    def text(self) -> str:
        """The line as it stands."""
        return "".join(text for text, _ in self.pieces)


@dataclass(frozen=True, slots=True)
class DiffRow:
    """Two lines beside each other. `skipped` counts equal lines left out here (then no lines).

    A side is None where the other text has a line more.
    """

    before: Side | None = None
    after: Side | None = None
    is_same: bool = False
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class TextDiff:
    """All rows, and how many lines came and went."""

    rows: Sequence[DiffRow]
    added: int
    removed: int


def text_diff(before: str, after: str) -> TextDiff:
    """The difference of two texts, with three equal lines around each change."""
    old, new = before.split("\n"), after.split("\n")
    rows: list[DiffRow] = []
    added = removed = 0
    for kind, first, last, start, end in _blocks(old, new):
        if kind == "equal":
            rows += _same(old, first, last, start, is_first=first == 0, is_last=last == len(old))
            continue
        added += end - start
        removed += last - first
        rows += _changed(old[first:last], new[start:end], first, start)
    return TextDiff(tuple(rows), added, removed)


def _blocks(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    if max(len(old), len(new)) > MOST_LINES:
        kind = "equal" if old == new else "replace"
        return [(kind, 0, len(old), 0, len(new))]
    return list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())


def _same(
    old: list[str], first: int, last: int, start: int, *, is_first: bool, is_last: bool
) -> Iterator[DiffRow]:
    """Equal lines, all but those near a change left out."""
    head = 0 if is_first else CONTEXT_LINES
    tail = 0 if is_last else CONTEXT_LINES
    count = last - first
    if is_first and is_last:
        head = count
    for at in range(count):
        if head <= at < count - tail and count > head + tail + 1:
            if at == head:
                yield DiffRow(is_same=True, skipped=count - head - tail)
            continue
        pieces = ((old[first + at], False),)
        yield DiffRow(Side(first + at + 1, pieces), Side(start + at + 1, pieces), is_same=True)


def _changed(old: list[str], new: list[str], first: int, start: int) -> Iterator[DiffRow]:
    for at in range(max(len(old), len(new))):
        left = old[at] if at < len(old) else None
        right = new[at] if at < len(new) else None
        if left is not None and right is not None:
            before, after = _words(left, right)
            yield DiffRow(Side(first + at + 1, before), Side(start + at + 1, after))
        elif left is not None:
            yield DiffRow(before=Side(first + at + 1, ((left, False),)))
        elif right is not None:
            yield DiffRow(after=Side(start + at + 1, ((right, False),)))


def _words(left: str, right: str) -> tuple[Pieces, Pieces]:
    old, new = _WORD.findall(left), _WORD.findall(right)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if max(len(old), len(new)) > MOST_WORDS or matcher.ratio() < ALIKE:
        return ((left, False),), ((right, False),)
    before: list[tuple[str, bool]] = []
    after: list[tuple[str, bool]] = []
    for kind, first, last, start, end in matcher.get_opcodes():
        _piece(before, "".join(old[first:last]), is_changed=kind != "equal")
        _piece(after, "".join(new[start:end]), is_changed=kind != "equal")
    return tuple(before), tuple(after)


def _piece(pieces: list[tuple[str, bool]], text: str, *, is_changed: bool) -> None:
    if text:
        pieces.append((text, is_changed))
