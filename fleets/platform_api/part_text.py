"""The growing answer of a turn, from text parts that are cumulative, or deltas, or both."""

from collections.abc import Mapping
from typing import Any


class PartText:
    """Joins a turn's text parts in order of first appearance.

    A part's `text` holds everything so far, also under a later message, and then replaces what was
    known. A part id that begins anew under another message is a part of its own. Lanes that send
    only `delta` are appended.
    """

    def __init__(self) -> None:
        self._segments: list[str] = []
        self._open: dict[str, tuple[int, str]] = {}  # part id -> (segment, message id)

    @property
    def text(self) -> str:
        return "\n\n".join(segment for segment in self._segments if segment)

    def add(self, part: Mapping[str, Any], delta: Any, /) -> None:
        part_id, message_id = str(part.get("id")), str(part.get("messageID"))
        whole = part.get("text")
        known = self._open.get(part_id)
        if known is None:
            self._begin(part_id, message_id, whole if isinstance(whole, str) else delta)
            return
        segment, former_message = known
        before = self._segments[segment]
        if not isinstance(whole, str):
            if isinstance(delta, str):
                self._segments[segment] = before + delta
            return
        if message_id == former_message or whole.startswith(before):
            self._segments[segment] = whole
            self._open[part_id] = (segment, message_id)
        else:
            self._begin(part_id, message_id, whole)

    def _begin(self, part_id: str, message_id: str, text: Any) -> None:
        self._segments.append(text if isinstance(text, str) else "")
        self._open[part_id] = (len(self._segments) - 1, message_id)
