"""A command on one machine, and one on many (contract 2.4, 4.1, 4.3)."""

from dataclasses import dataclass
from typing import Any

from fleets.platform_api.fields import FieldError, Fields, each, unwrap


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command left. `exit_code` is None when it was stopped for taking too long."""

    exit_code: int | None
    stdout: str
    stderr: str
    duration_ms: int | None
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class MachineCommand:
    """A dispatch's row: `result` where the command ran to its end, else `error` says why not."""

    machine_id: str
    ok: bool
    result: CommandResult | None
    error: str | None
    duration_ms: int | None


@dataclass(frozen=True, slots=True)
class ExecDispatch:
    """A command on a fleet's machines; `dispatch_id` reads it again (contract 10 row 7)."""

    dispatch_id: str | None
    rows: tuple[MachineCommand, ...]


def parse_command(body: Any, /) -> CommandResult:
    """`{success, result:{exitCode, …}}`. Raises FieldError."""
    return _result(unwrap(body, "result", "data"))


def parse_exec(body: Any, /) -> ExecDispatch:
    """`{dispatchId, results:[…]}`. Raises FieldError."""
    row = unwrap(body, "data", "dispatch")
    if row.body.get("results") is None:
        raise FieldError("answer.results", "missing")
    return ExecDispatch(
        dispatch_id=row.maybe_text("dispatchId"), rows=each(row.rows("results"), _row)
    )


def _row(row: Fields) -> MachineCommand:
    result = row.child("result")
    error, _code = row.maybe_reason("error")
    return MachineCommand(
        machine_id=row.text("machineId"),
        ok=row.flag("ok", default=error is None),
        result=None if result is None else _result(result),
        error=error,
        duration_ms=row.maybe_int("duration", "durationMs"),
    )


def _result(row: Fields) -> CommandResult:
    code = row.maybe_int("exitCode")
    if code is None:
        raise FieldError("answer.result.exitCode", "missing")
    return CommandResult(
        exit_code=code,
        stdout=row.maybe_text("stdout") or "",
        stderr=row.maybe_text("stderr") or "",
        duration_ms=row.maybe_int("duration", "durationMs"),
    )
