"""What an agent waits to be told (contract 3.1, 3.5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap_rows


@dataclass(frozen=True, slots=True)
class Interaction:
    """A question, an approval or a plan; `request` is all that the harness says of it."""

    id: str
    kind: str | None
    execution_id: str | None
    request: Mapping[str, Any] = field(repr=False)


def parse_interactions(body: Any, /) -> tuple[Interaction, ...]:
    """`{data:{interactions:[…]}}`; a row may hold its request within. Raises FieldError."""
    rows, _total = unwrap_rows(body, "interactions")
    return each(rows, parse_interaction)


def parse_interaction(row: Fields, /) -> Interaction:
    """One row. Raises FieldError."""
    inner = row.child("request") or row
    return Interaction(
        id=row.maybe_text("id", "interactionId") or inner.text("id"),
        kind=inner.maybe_text("kind", "type") or row.maybe_text("kind", "type"),
        execution_id=inner.maybe_text("executionId") or row.maybe_text("executionId"),
        request=inner.raw,
    )
