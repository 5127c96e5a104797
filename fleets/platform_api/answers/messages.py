"""A session as messages (contract 3.4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap_rows


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said; None where the platform does not tell. `parts` as in the stream."""

    role: str
    parts: tuple[Mapping[str, Any], ...] = field(repr=False)
    turn_id: str | None
    status: str | None
    completed: bool | None
    interrupted: bool | None

    @property
    def text(self) -> str:
        """The text parts, joined."""
        said = [part.get("text") for part in self.parts if part.get("type") == "text"]
        return "\n\n".join(text for text in said if isinstance(text, str))


def parse_messages(body: Any, /) -> tuple[Message, ...]:
    """`{data:{messages:[…]}}` in any wrapping, oldest first as they come. Raises FieldError."""
    rows, _total = unwrap_rows(body, "messages")
    return each(rows, _message)


def _message(row: Fields) -> Message:
    about = row.child("metadata")

    def said(name: str) -> bool | None:
        if about is None or about.body.get(name) is None:
            return None
        return about.flag(name, default=False)

    return Message(
        role=row.text("role"),
        parts=tuple(part.raw for part in row.rows("parts")),
        turn_id=None if about is None else about.maybe_text("turnId"),
        status=None if about is None else about.maybe_text("status"),
        completed=said("completed"),
        interrupted=said("interrupted"),
    )
