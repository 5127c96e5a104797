"""Sandboxes (contract 2.1, 2.3)."""

import builtins
from collections.abc import Sequence
from typing import Any

from fleets.platform_api import operations as op
from fleets.platform_api.answers.traces import Trace, parse_trace
from fleets.platform_api.encoding import given
from fleets.platform_api.fields import Fields, each, unwrap, unwrap_rows
from fleets.platform_api.resources.base import Resource
from fleets.platform_api.sandbox_spec import SandboxSpec
from fleets.platform_api.types import SandboxDeletion, SandboxRow

PAGE = 200
KEEP_ALIVE_S = 3600  # as the SDK (contract 2.1)


class Sandboxes(Resource):
    """Making, reading, stopping and deleting machines of no fleet or any (contract 2.1)."""

    async def create(self, spec: SandboxSpec, *, idempotency_key: str | None = None) -> SandboxRow:
        """Asks for a machine of no fleet; it comes up afterwards, poll `get`.

        With a key a replay names the same sandbox; without one every call makes another, so an
        unknown outcome is looked for in `list` by its name first (contract 1.4, 11).
        """
        reply = await self._send(
            op.SANDBOX_CREATE, body=spec.body(), idempotency_key=idempotency_key
        )
        return reply.parse(parse_sandbox)

    async def get(self, sandbox_id: str) -> SandboxRow:
        """Raises NotFound once the sandbox is deleted."""
        reply = await self._send(op.SANDBOX_GET, path={"sandbox_id": sandbox_id})
        return reply.parse(parse_sandbox)

    async def list(
        self, *, status: Sequence[str] = (), limit: int = PAGE, offset: int = 0
    ) -> tuple[SandboxRow, ...]:
        """A page of them, of any of these states; a page shorter than `limit` is the last."""
        query: dict[str, Any] = given(
            status=builtins.list(status) or None, limit=limit, offset=offset
        )
        return (await self._send(op.SANDBOX_LIST, query=query)).parse(parse_sandboxes)

    async def keep_alive(
        self, sandbox_id: str, *, idle_timeout_s: int = KEEP_ALIVE_S
    ) -> SandboxRow:
        """Begins its idle time anew, with this length. Raises WrongState unless it runs."""
        reply = await self._send(
            op.SANDBOX_KEEP_ALIVE,
            path={"sandbox_id": sandbox_id},
            body={"idleTimeoutSeconds": idle_timeout_s},
        )
        return reply.parse(parse_sandbox)

    async def trace(
        self,
        sandbox_id: str,
        *,
        trace_id: str | None = None,
        include_intelligence: bool = False,
    ) -> Trace:
        """The trace of one turn, or of the latest (row 15). Raises NotFound for an unknown one."""
        query = given(
            traceId=trace_id, includeIntelligence="true" if include_intelligence else None
        )
        reply = await self._send(op.SANDBOX_TRACE, path={"sandbox_id": sandbox_id}, query=query)
        return reply.parse(parse_trace)

    async def delete(self, sandbox_id: str) -> SandboxDeletion:
        """Ends it for good and says what became of it; NotFound means that it is gone."""
        reply = await self._send(op.SANDBOX_DELETE, path={"sandbox_id": sandbox_id})
        return reply.parse(lambda body: parse_deletion(body, sandbox_id=sandbox_id))

    async def stop(self, sandbox_id: str) -> SandboxRow:
        """Stops it; its disk stays. Raises WrongState where it cannot be stopped."""
        reply = await self._send(op.SANDBOX_STOP, path={"sandbox_id": sandbox_id})
        return reply.parse(parse_sandbox)

    async def resume(self, sandbox_id: str) -> SandboxRow:
        """Starts a stopped one again. Raises WrongState where it is not stopped."""
        reply = await self._send(op.SANDBOX_RESUME, path={"sandbox_id": sandbox_id})
        return reply.parse(parse_sandbox)


def parse_sandbox(body: Any, /) -> SandboxRow:
    """One sandbox, bare or wrapped. Raises FieldError."""
    return _row(unwrap(body, "data", "sandbox"))


def parse_sandboxes(body: Any, /) -> tuple[SandboxRow, ...]:
    """A page of sandboxes. Raises FieldError."""
    rows, _total = unwrap_rows(body, "sandboxes")
    return each(rows, _row)


def parse_deletion(body: Any, /, *, sandbox_id: str) -> SandboxDeletion:
    """Both documented answers: `{success:true}` and an acknowledgement with an outcome."""
    row = unwrap(body, "data")
    return SandboxDeletion(
        sandbox_id=row.maybe_text("sandboxId") or sandbox_id,
        outcome=row.maybe_text("outcome")
        or ("destroyed" if row.flag("success", default=True) else "unknown"),
    )


def _row(row: Fields) -> SandboxRow:
    error, _code = row.maybe_reason("error")
    # Old words (contract 2.2, 2.3): image, {cpu, memoryMb, storageMb}, sidecarUrl.
    size = row.child("resources")
    reached = row.child("connection")
    return SandboxRow(
        sandbox_id=row.text("id", "sandboxId"),
        name=row.maybe_text("name"),
        status=row.text("status"),
        machine_id=row.maybe_text("machineId"),
        error=error,
        metadata=row.maybe_mapping("metadata"),
        resources=row.maybe_mapping("resources"),
        created_at=row.maybe_time("createdAt"),
        started_at=row.maybe_time("startedAt"),
        last_activity_at=row.maybe_time("lastActivityAt"),
        expires_at=row.maybe_time("expiresAt"),
        raw=row.raw,
        environment=row.maybe_text("environment", "image"),
        region=row.maybe_text("region"),
        cpu_cores=None if size is None else size.maybe_number("cpuCores", "cpu"),
        memory_mb=None if size is None else size.maybe_int("memoryMB", "memoryMb"),
        disk_gb=_disk_gb(size),
        runtime_url=None if reached is None else reached.maybe_text("runtimeUrl", "sidecarUrl"),
        edge_status=None if reached is None else reached.maybe_text("edgeStatus"),
        edge_error=None if reached is None else reached.maybe_reason("edgeError")[0],
    )


def _disk_gb(size: Fields | None) -> int | None:
    if size is None:
        return None
    found, old_mb = size.maybe_int("diskGB"), size.maybe_int("storageMb")
    return found if found is not None or old_mb is None else old_mb // 1024
