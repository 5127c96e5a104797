"""The harnesses that the platform offers (contract 2.1, 8)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap_rows


@dataclass(frozen=True, slots=True)
class Backend:
    """A harness and what it can do; `type` is what a turn's backend names."""

    type: str
    name: str | None
    description: str | None
    context_window: int | None
    interactions: tuple[str, ...]
    capabilities: Mapping[str, Any] = field(repr=False)

    def can(self, name: str, /) -> bool | None:
        """One capability (`streaming`, `mcp`, …); None where the platform does not say."""
        found = self.capabilities.get(name)
        return found if isinstance(found, bool) else None


def parse_backends(body: Any, /) -> tuple[Backend, ...]:
    """`{backends:[…], timestamp}`. Raises FieldError."""
    rows, _total = unwrap_rows(body, "backends")
    return each(rows, _backend)


def _backend(row: Fields) -> Backend:
    inner = row.child("capabilities")
    asks = None if inner is None else inner.body.get("interactions")
    return Backend(
        type=row.text("type"),
        name=row.maybe_text("name"),
        description=row.maybe_text("description"),
        context_window=None if inner is None else inner.maybe_int("contextWindow"),
        interactions=tuple(str(one) for one in asks) if isinstance(asks, list) else (),
        capabilities=row.maybe_mapping("capabilities"),
    )
