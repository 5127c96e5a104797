"""Folds the stored frames of a turn into what a person reads: said, thought, done. Pure.

Text is cumulative and outlives its message, tools are repeated by echoes that are left out, and
order is that of delivery (contract 3.5). A fold may begin in the middle of a turn.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

# Tool names differ by harness; what they have in common is what their input calls its target.
_TARGETS: Final = (
    "command", "cmd", "filePath", "file_path", "path", "url", "pattern", "query", "file",
    "description",
)  # fmt: skip


class ItemKind(StrEnum):
    """What an item of a transcript is."""

    TEXT = "text"
    REASONING = "reasoning"
    TOOL = "tool"
    PLAN = "plan"
    QUESTION = "question"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Frame:
    """One stored frame."""

    number: int
    type: str
    data: Mapping[str, Any]


@dataclass(slots=True)
class ToolUse:
    """A call of a tool as far as it is known. `equal_calls`: how often in a row, this included."""

    name: str
    status: str = "unknown"
    given: Any = None
    output: str = ""
    title: str = ""
    started_at_ms: int | None = None
    ended_at_ms: int | None = None
    equal_calls: int = 1

    @property
    def target(self) -> str:
        """What it was used on: a command, a path, a pattern."""
        if isinstance(self.given, Mapping):
            for name in _TARGETS:
                value = self.given.get(name)
                if isinstance(value, str) and value.strip():
                    return value
        return self.title

    @property
    def has_failed(self) -> bool:
        """Whether the harness said so."""
        return self.status == "error"

    @property
    def duration_ms(self) -> int | None:
        """How long it took; None while that is not known."""
        if self.started_at_ms is None or self.ended_at_ms is None:
            return None
        return max(0, self.ended_at_ms - self.started_at_ms)

    @property
    def likeness(self) -> tuple[str, str]:
        """Equal for calls of one tool with one input."""
        return self.name, json.dumps(self.given, sort_keys=True, default=str)


@dataclass(slots=True)
class Item:
    """One thing of a turn. `key` is safe in an element's id and stays while the item grows."""

    key: str
    kind: ItemKind
    first: int
    last: int
    text: str = ""
    tool: ToolUse | None = None
    # Text that an earlier message of the same part has said already is not said again.
    base: int = 0


@dataclass(slots=True)
class TranscriptFold:
    """Takes frames by rising number; `items` in order of their first frame."""

    items: list[Item] = field(default_factory=list)
    upto: int = 0
    _by_key: dict[str, Item] = field(default_factory=dict)
    _said: dict[str, str] = field(default_factory=dict)

    def add_all(self, frames: Iterable[Frame]) -> None:
        """Fold what is new; frames up to `upto` are known already."""
        for frame in frames:
            if frame.number > self.upto:
                self.upto = frame.number
                self._add(frame)

    def _add(self, frame: Frame) -> None:
        data = frame.data
        if frame.type == "message.part.updated":
            inner = data.get("properties")
            body = data if "part" in data or not isinstance(inner, Mapping) else inner
            part = body.get("part")
            if isinstance(part, Mapping):
                self._add_part(frame, part, body.get("delta"))
        elif frame.type == "result":
            self._add_final(frame)
        elif frame.type in _SAID:
            kind, *names = _SAID[frame.type]
            text = next((text for name in names if (text := _text_of(data.get(name)))), "")
            self._item(frame, ItemKind(kind), f"{frame.type}{frame.number}").text = text

    def _add_part(self, frame: Frame, part: Mapping[str, Any], delta: Any) -> None:
        kind = part.get("type")
        if kind in ("text", "reasoning"):
            self._add_text(frame, part, delta, ItemKind(kind))
        elif kind == "tool":
            self._add_tool(frame, part)
        elif kind in ("subtask", "file"):
            item = self._item(frame, ItemKind.NOTE, str(part.get("id") or frame.number))
            item.text = _text_of(part.get("description") or part.get("filename") or kind)

    def _add_text(self, frame: Frame, part: Mapping[str, Any], delta: Any, kind: ItemKind) -> None:
        part_id, whole = str(part.get("id")), part.get("text")
        is_known = item_key(kind, part_id, str(part.get("messageID"))) in self._by_key
        item = self._item(frame, kind, part_id, str(part.get("messageID")))
        if isinstance(whole, str):
            if not is_known:
                item.base = _already_said(self._said.get(part_id), whole, delta)
            item.text = whole[item.base :].lstrip()
            self._said[part_id] = whole
        elif isinstance(delta, str):
            item.text += delta

    def _add_tool(self, frame: Frame, part: Mapping[str, Any]) -> None:
        item = self._item(frame, ItemKind.TOOL, _part_id(part, frame))
        item.tool = _tool(part)
        item.tool.equal_calls = self._equal_calls(item)

    def _equal_calls(self, item: Item) -> int:
        assert item.tool is not None
        before = [one.tool for one in self.items if one.tool is not None and one.first < item.first]
        likeness = item.tool.likeness
        if before and before[-1].likeness == likeness:
            return before[-1].equal_calls + 1
        return 1

    def _add_final(self, frame: Frame) -> None:
        """The result's text, where the frames that said it are not here."""
        final = frame.data.get("finalText")
        if not isinstance(final, str) or not final.strip():
            return
        said = (item.text.strip() for item in self.items if item.kind is ItemKind.TEXT)
        if not any(text and (text in final or final in text) for text in said):
            self._item(frame, ItemKind.TEXT, "result").text = final

    def _item(self, frame: Frame, kind: ItemKind, part_id: str, message: str = "") -> Item:
        """The item that a frame speaks of, begun if it is not there yet."""
        key = item_key(kind, part_id, message)
        item = self._by_key.get(key)
        if item is None:
            item = Item(key=key, kind=kind, first=frame.number, last=frame.number)
            self.items.append(item)
            self._by_key[key] = item
        item.last = frame.number
        return item


_SAID: Final[Mapping[str, tuple[str, ...]]] = {
    "warning": ("warning", "message", "code"),
    "session.error": ("warning", "message", "error"),
    "plan.submitted": ("plan", "plan"),
    "interaction": ("question", "request"),
    "question.asked": ("question", "question", "request", "properties"),
    "child-task": ("note", "message", "description"),
}


def item_key(kind: ItemKind, part_id: str, message: str = "") -> str:
    """The same for every frame of one item, whatever page it is on."""
    name = f"{kind}:{part_id}:{message}".encode("utf-8", "replace")
    return hashlib.blake2b(name, digest_size=6).hexdigest()


def keys_of(frames: Iterable[Frame]) -> set[str]:
    """Keys of the items that these frames speak of."""
    fold = TranscriptFold()
    fold.add_all(frames)
    return {item.key for item in fold.items}


def _part_id(part: Mapping[str, Any], frame: Frame) -> str:
    return str(part.get("id") or part.get("callID") or frame.number)


def _already_said(before: str | None, whole: str, delta: Any) -> int:
    """How much of a part's text an earlier message of it has said."""
    if before is None:
        return 0
    if whole.startswith(before):
        return len(before)
    # A part that begins anew says all of it in its first piece.
    if isinstance(delta, str) and delta and len(delta) < len(whole):
        return len(whole) - len(delta)
    return 0


def _tool(part: Mapping[str, Any]) -> ToolUse:
    state = part.get("state")
    inner: Mapping[str, Any] = state if isinstance(state, Mapping) else {}
    time = inner.get("time")
    times: Mapping[str, Any] = time if isinstance(time, Mapping) else {}
    return ToolUse(
        name=_text_of(part.get("tool")) or "tool",
        status=_text_of(inner.get("status")) or "unknown",
        given=inner.get("input"),
        output=_text_of(inner.get("output")) or _text_of(inner.get("error")),
        title=_text_of(inner.get("title")),
        started_at_ms=_milliseconds(times.get("start")),
        ended_at_ms=_milliseconds(times.get("end")),
    )


def _text_of(value: Any) -> str:
    """A text as it is, anything else as JSON, nothing as nothing."""
    if isinstance(value, str):
        return value
    if value is None or value == {} or value == []:
        return ""
    if isinstance(value, Mapping) and isinstance(value.get("message"), str):
        return str(value["message"])
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def _milliseconds(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
