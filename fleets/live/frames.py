"""Server-sent events as bytes."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from fleets.live.appends import Appended
from fleets.live.fragments import MAX_PARTIALS, Hint, Partial, Piece

# What the format takes for a line break; other Unicode breaks are text.
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def frame(data: str, *, event: str = "", entry: str = "") -> bytes:
    """One event. Line breaks of any kind in `data` are kept apart as the format asks."""
    lines = [f"id: {entry}"] if entry else []
    if event:
        lines.append(f"event: {event}")
    lines += [f"data: {line}" for line in _LINE_BREAK.split(data)]
    return ("\n".join(lines) + "\n\n").encode()


def beat(*, is_live: bool, entry: str) -> bytes:
    """The named event that tells a page it is connected, the server's time, and if Redis speaks."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return frame(json.dumps({"now": now, "live": is_live}), event="beat", entry=entry)


def resync(*, entry: str = "") -> bytes:
    """Something was missed: the page fetches its fragments again."""
    return frame("", event="resync", entry=entry)


def appended(news: Appended, *, entry: str) -> bytes:
    """What is new of a page that grows, as one JSON object, and its hints."""
    sent = b""
    if news.items:
        body = {"cursor": news.cursor, "items": [asdict(item) for item in news.items]}
        sent += frame(json.dumps(body), event="append", entry=entry)
    if news.hints:
        sent += frame(" ".join(news.hints), event="hint", entry=entry)
    return sent


def pieces(found: Sequence[Piece], *, entry: str) -> bytes:
    """The patches in one message and the hints in another; too many patches become a resync."""
    partials = [piece for piece in found if isinstance(piece, Partial)]
    hints = list(dict.fromkeys(piece.target for piece in found if isinstance(piece, Hint)))
    if len(partials) > MAX_PARTIALS:
        return resync(entry=entry)
    sent = b""
    if partials:
        sent += frame("".join(partial.markup() for partial in partials), entry=entry)
    if hints:
        sent += frame(" ".join(hints), event="hint", entry=entry)
    return sent
