"""What a fleet used, what it costs an hour, and what fleets can run on (contract 4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap, unwrap_rows

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FleetUsage:
    """Machines now, and their running time so far; None before anything was metered."""

    running_machines: int | None
    failed_machines: int | None
    runtime_ms: int | None
    machine_runtime_ms: Mapping[str, int]
    raw: Raw = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class FleetCost:
    """What the machines cost an hour as they stand; model calls are not in it."""

    hourly_usd: Decimal | None
    raw: Raw = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class FleetDriver:
    """What a fleet's machines can run on."""

    driver_type: str
    accelerators: tuple[Any, ...]


def parse_usage(body: Any, /) -> FleetUsage:
    """`{usage:{…, meteredUsage or null}}`. Raises FieldError."""
    row = unwrap(body, "usage", "data")
    metered = row.child("meteredUsage")
    by_machine = None if metered is None else metered.child("machineRuntimeMs")
    return FleetUsage(
        running_machines=row.maybe_int("runningMachines"),
        failed_machines=row.maybe_int("failedMachines"),
        runtime_ms=None if metered is None else metered.maybe_int("runtimeMs"),
        machine_runtime_ms={} if by_machine is None else _by_machine(by_machine),
        raw=row.raw,
    )


def parse_cost(body: Any, /) -> FleetCost:
    """`{estimate:{hourlyUsd}}`. Raises FieldError."""
    row = unwrap(body, "estimate", "data")
    return FleetCost(hourly_usd=row.maybe_usd("hourlyUsd"), raw=row.raw)


def parse_drivers(body: Any, /) -> tuple[FleetDriver, ...]:
    """`{drivers:[…]}`. Raises FieldError."""
    rows, _total = unwrap_rows(body, "drivers")
    return each(rows, _driver)


def _driver(row: Fields) -> FleetDriver:
    accelerators = row.raw.get("accelerators")
    return FleetDriver(
        driver_type=row.text("driverType", "type"),
        accelerators=tuple(accelerators) if isinstance(accelerators, list) else (),
    )


def _by_machine(row: Fields) -> dict[str, int]:
    times = {name: row.maybe_int(name) for name in row.body}
    return {name: time_ms for name, time_ms in times.items() if time_ms is not None}
