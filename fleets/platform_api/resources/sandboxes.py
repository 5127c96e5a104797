"""Sandboxes (contract 2.1, 2.3)."""

import builtins
from collections.abc import Sequence
from typing import Any

from fleets.platform_api import operations as op
from fleets.platform_api.encoding import given
from fleets.platform_api.fields import Fields, each, unwrap, unwrap_rows
from fleets.platform_api.resources.base import Resource
from fleets.platform_api.types import SandboxDeletion, SandboxRow

PAGE = 200


class Sandboxes(Resource):
    """Reading, stopping and deleting machines (contract 2.1)."""

    async def get(self, sandbox_id: str) -> SandboxRow:
        """Raises NotFound once the sandbox is deleted."""
        reply = await self._send(op.SANDBOX_GET, path={"sandbox_id": sandbox_id})
        return reply.parse(parse_sandbox)

    async def list(
        self, *, status: Sequence[str] = (), limit: int = PAGE, offset: int = 0
    ) -> tuple[SandboxRow, ...]:
        query: dict[str, Any] = given(
            status=builtins.list(status) or None, limit=limit, offset=offset
        )
        return (await self._send(op.SANDBOX_LIST, query=query)).parse(parse_sandboxes)

    async def delete(self, sandbox_id: str) -> SandboxDeletion:
        reply = await self._send(op.SANDBOX_DELETE, path={"sandbox_id": sandbox_id})
        return reply.parse(lambda body: parse_deletion(body, sandbox_id=sandbox_id))

    async def stop(self, sandbox_id: str) -> SandboxRow:
        reply = await self._send(op.SANDBOX_STOP, path={"sandbox_id": sandbox_id})
        return reply.parse(parse_sandbox)

    async def resume(self, sandbox_id: str) -> SandboxRow:
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
    )
