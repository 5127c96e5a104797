"""One short human line about a frame, for an agent's "last event". Hostile text is bounded."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from fleets.platform_api.sse import StreamEvent

LINE_LIMIT = 120
# Only so much of a huge value is looked at.
_SCAN_LIMIT = 2000
_SPACE = re.compile(r"\s+")
# Tool names differ by harness; what they have in common is what their input calls its target.
_READING = frozenset({"read", "view", "cat", "open", "readfile", "read_file"})
_WRITING = frozenset({"write", "edit", "patch", "multiedit", "apply_patch", "write_file"})
_TARGETS = ("command", "cmd", "filePath", "file_path", "path", "url", "pattern", "query", "file")


def describe_event(event: StreamEvent, /, *, model_call: int | None = None) -> str | None:
    """A line such as "bash: pytest -q", or None for frames that say nothing new.

    `model_call` is the number of the model call that the frame begins, where the caller counts.
    """
    if event.type == "message.part.updated":
        return _part(event.data.get("part"))
    if event.type in {"error", "execution.failed", "session.error"}:
        said = plain(event.data.get("message") or event.data.get("error"))
        return _cut(f"failed: {said}" if said else "failed")
    if event.type == "status":
        return _status(event.data)
    if event.type == "warning":
        said = plain(event.data.get("message") or event.data.get("code"))
        return _cut(f"warning: {said}") if said else None
    if event.type == "raw" and is_step_start(event):
        return "model call" if model_call is None else f"model call {model_call}"
    if event.type in {"result", "done"}:
        return _ending(event.data.get("outcome"))
    return _WORDS.get(event.type)


_WORDS: Mapping[str, str] = {
    "start": "accepted",
    "execution.started": "started",
    "execution.completed": "finished",
    "interaction": "waiting for an answer",
    "question.asked": "waiting for an answer",
    "plan.submitted": "waiting for approval of its plan",
    "tool-slow": "a tool is slow",
    "child-task": "working on a child task",
}


def is_step_start(event: StreamEvent, /) -> bool:
    """Whether a harness says that it begins a model call."""
    native = event.data.get("event")
    return isinstance(native, Mapping) and native.get("type") in {"step_start", "step-start"}


def plain(value: Any, /, *, limit: int = LINE_LIMIT) -> str:
    """`value` as one line without control, direction-changing or invisible characters."""
    if isinstance(value, Mapping):
        value = value.get("message") or value.get("code") or ""
    if not isinstance(value, str):
        return ""
    kept = "".join(
        character if unicodedata.category(character)[0] != "C" else " "
        for character in value[:_SCAN_LIMIT]
    )
    return _cut(_SPACE.sub(" ", kept).strip(), limit=limit)


def _cut(line: str, *, limit: int = LINE_LIMIT) -> str:
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _ending(outcome: Any) -> str:
    kind = plain(outcome.get("type") if isinstance(outcome, Mapping) else outcome, limit=40)
    return "finished" if kind in {"", "completed", "success"} else f"ended: {kind}"


def _status(data: Mapping[str, Any]) -> str | None:
    # `started`, `completed` and the like repeat what better frames say.
    return plain(data.get("detail")) or None


def _part(part: Any) -> str | None:
    if not isinstance(part, Mapping):
        return None
    kind = part.get("type")
    if kind == "tool":
        return _tool(part)
    return {"reasoning": "thinking", "text": "writing its answer", "subtask": "child task"}.get(
        kind if isinstance(kind, str) else ""
    )


def _tool(part: Mapping[str, Any]) -> str:
    name = plain(part.get("tool"), limit=40) or "tool"
    state = part.get("state")
    inner = state if isinstance(state, Mapping) else {}
    target = _target(inner)
    if name.lower() in _READING and target:
        line = f"reading {target}"
    elif name.lower() in _WRITING and target:
        line = f"editing {target}"
    else:
        line = f"{name}: {target}" if target else name
    return _cut(f"{line} (failed)" if inner.get("status") == "error" else line)


def _target(state: Mapping[str, Any]) -> str:
    given = state.get("input")
    if isinstance(given, Mapping):
        for name in _TARGETS:
            if text := plain(given.get(name), limit=LINE_LIMIT - 12):
                return text
    return plain(state.get("title"), limit=LINE_LIMIT - 12)
