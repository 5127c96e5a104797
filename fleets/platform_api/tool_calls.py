"""The tools a turn used: from its parts, and from the result where no part named them."""

from collections.abc import Mapping, Sequence
from typing import Any

from fleets.platform_api.describe import plain
from fleets.platform_api.fields import Fields
from fleets.platform_api.types import ToolCall


class ToolCalls:
    """One entry per part id. The `raw` echoes carry another call id and are not added at all."""

    def __init__(self) -> None:
        self._by_part: dict[str, ToolCall] = {}
        self._listed: tuple[ToolCall, ...] = ()

    @property
    def any(self) -> bool:
        return bool(self._by_part)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        # The result repeats the parts without their ids; it adds only where frames were lost.
        seen = tuple(self._by_part.values())
        return seen if len(seen) >= len(self._listed) else self._listed

    def add(self, part: Mapping[str, Any], /) -> None:
        state = part.get("state")
        inner: Mapping[str, Any] = state if isinstance(state, Mapping) else {}
        time = inner.get("time")
        times: Mapping[str, Any] = time if isinstance(time, Mapping) else {}
        call_id = plain(part.get("callID") or part.get("id"), limit=200)
        key = plain(part.get("id"), limit=200) or call_id or str(len(self._by_part))
        self._by_part[key] = ToolCall(
            call_id=call_id or None,
            tool=plain(part.get("tool"), limit=80) or "tool",
            status=plain(inner.get("status"), limit=40) or "unknown",
            title=plain(inner.get("title")) or None,
            started_at_ms=_milliseconds(times.get("start")),
            ended_at_ms=_milliseconds(times.get("end")),
        )

    def add_invocations(self, rows: Sequence[Fields], /) -> None:
        if rows:
            self._listed = tuple(
                ToolCall(
                    call_id=None,
                    tool=plain(row.body.get("toolName"), limit=80) or "tool",
                    status="error" if row.body.get("error") else "completed",
                )
                for row in rows
            )


def _milliseconds(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
