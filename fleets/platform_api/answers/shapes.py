"""The sizes a machine can have (contract 2.1, 9)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap


@dataclass(frozen=True, slots=True)
class Shape:
    """A size with its name; the ceiling has none. Memory in MB as the platform counts it."""

    name: str | None
    cpu_cores: Decimal | None
    memory_mb: int | None
    disk_gb: int | None


@dataclass(frozen=True, slots=True)
class Shapes:
    """All sizes, the one that is taken when none is asked for, and the account's ceiling."""

    presets: tuple[Shape, ...]
    default: str | None
    ceiling: Shape | None
    raw: Mapping[str, Any] = field(repr=False, compare=False)


def parse_shapes(body: Any, /) -> Shapes:
    """`{presets:[…], default, ceiling}`; a default may be a name or a size. Raises FieldError."""
    row = unwrap(body, "data")
    ceiling = row.child("ceiling")
    default = row.body.get("default")
    inner = row.child("default") if isinstance(default, Mapping) else None
    return Shapes(
        presets=each(row.rows("presets"), _shape),
        default=row.maybe_text("default") if inner is None else inner.maybe_text("name"),
        ceiling=None if ceiling is None else _shape(ceiling),
        raw=row.raw,
    )


def _shape(row: Fields) -> Shape:
    return Shape(
        name=row.maybe_text("name"),
        cpu_cores=row.maybe_number("cpuCores", "cpu"),
        memory_mb=row.maybe_int("memoryMB", "memoryMb"),
        disk_gb=row.maybe_int("diskGB"),
    )
