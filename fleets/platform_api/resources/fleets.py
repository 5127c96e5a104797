"""Fleets: create, read, figures, commands, delete (contract 4.1, 10 rows 1–7)."""

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from fleets.platform_api import operations as op
from fleets.platform_api.answers.commands import ExecDispatch, parse_exec
from fleets.platform_api.answers.fleet_figures import (
    FleetCost,
    FleetDriver,
    FleetUsage,
    parse_cost,
    parse_drivers,
    parse_usage,
)
from fleets.platform_api.encoding import given
from fleets.platform_api.errors import NotFound
from fleets.platform_api.fields import Fields, each, unwrap, unwrap_rows
from fleets.platform_api.resources.base import Resource
from fleets.platform_api.types import (
    FleetDeletion,
    FleetPage,
    FleetRow,
    MachineOutcome,
    MachineRow,
)

PAGE = 200
EXEC_ANSWER_S = 120.0


class Fleets(Resource):
    """Creating, reading, using and deleting fleets (contract 4.1)."""

    async def create(
        self,
        fleet_id: str,
        *,
        machines: Sequence[Mapping[str, Any]],
        coordinator: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
        policy: Mapping[str, Any] | None = None,
        max_concurrent_creates: int | None = None,
        parent: Mapping[str, str] | None = None,
        cleanup_on_failure: bool | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> FleetRow:
        """Asks for the fleet and its machines; they come up afterwards, poll `get`.

        `machines`: `{machineId, ...}` each, with any sandbox create field as an override; so is
        the `coordinator`, a machine with that role. A replay with the same key names the same
        fleet. Raises WrongState for an id that is taken.
        """
        body = given(
            fleetId=fleet_id,
            machines=[dict(machine) for machine in machines],
            coordinator=coordinator,
            defaults=defaults,
            policy=policy,
            maxConcurrentCreates=max_concurrent_creates,
            parent=parent,
            cleanupOnFailure=cleanup_on_failure,
            metadata=metadata,
        )
        reply = await self._send(op.FLEET_CREATE, body=body, idempotency_key=idempotency_key)
        return reply.parse(parse_fleet)

    async def get(self, fleet_id: str) -> FleetRow:
        """Raises NotFound once the fleet is deleted."""
        return (await self._send(op.FLEET_GET, path={"fleet_id": fleet_id})).parse(parse_fleet)

    async def list(
        self, *, parent_fleet_id: str | None = None, limit: int = PAGE, offset: int = 0
    ) -> FleetPage:
        query = given(parentFleetId=parent_fleet_id, limit=limit, offset=offset)
        return (await self._send(op.FLEET_LIST, query=query)).parse(parse_fleets)

    async def children(self, fleet_id: str, *, limit: int = PAGE, offset: int = 0) -> FleetPage:
        """The fleets that agents of this one have made, one step down (row 3)."""
        return await self.list(parent_fleet_id=fleet_id, limit=limit, offset=offset)

    async def usage(self, fleet_id: str) -> FleetUsage:
        """Machines and their running time so far."""
        return (await self._send(op.FLEET_USAGE, path={"fleet_id": fleet_id})).parse(parse_usage)

    async def cost(self, fleet_id: str) -> FleetCost:
        """What its machines cost an hour as they stand; model calls are not in it."""
        return (await self._send(op.FLEET_COST, path={"fleet_id": fleet_id})).parse(parse_cost)

    async def capabilities(self) -> tuple[FleetDriver, ...]:
        """What fleets can run on."""
        return (await self._send(op.FLEET_CAPABILITIES)).parse(parse_drivers)

    async def exec(
        self,
        fleet_id: str,
        command: str,
        *,
        machines: Sequence[str] = (),
        max_concurrent: int | None = None,
        timeout_ms: int | None = None,
        answer_s: float = EXEC_ANSWER_S,
    ) -> ExecDispatch:
        """Runs a shell line on the named machines, or on all; answers when all have ended.

        The platform works on six machines at a time per request (row 27), so `answer_s`, the time
        that the answer may take, grows with their number. Never repeated. Signed with the account
        key. A machine that could not run it is a row with an error, not a failure.
        """
        body = given(
            type="exec",
            command=command,
            machines=builtins.list(machines) or None,
            maxConcurrent=max_concurrent,
            timeoutMs=timeout_ms,
        )
        reply = await self._send(
            op.FLEET_EXEC, path={"fleet_id": fleet_id}, body=body, answer_s=answer_s
        )
        return reply.parse(parse_exec)

    async def exec_results(self, fleet_id: str, dispatch_id: str) -> ExecDispatch | None:
        """A dispatch read again (row 7); None while it runs, and when it is not there."""
        path = {"fleet_id": fleet_id, "dispatch_id": dispatch_id}
        try:
            reply = await self._send(op.FLEET_EXEC_READ, path=path)
        except NotFound:
            return None
        return reply.parse(parse_exec)

    async def delete(self, fleet_id: str) -> FleetDeletion:
        """Deletes the whole tree; repeat it until `is_done` or NotFound, which means gone."""
        reply = await self._send(op.FLEET_DELETE, path={"fleet_id": fleet_id})
        return reply.parse(lambda body: parse_deletion(body, fleet_id=fleet_id))


def parse_fleet(body: Any, /) -> FleetRow:
    """One fleet, bare or wrapped. Raises FieldError."""
    return _row(unwrap(body, "fleet", "data"))


def parse_fleets(body: Any, /) -> FleetPage:
    """A page of fleets. Raises FieldError."""
    rows, total = unwrap_rows(body, "fleets")
    return FleetPage(fleets=each(rows, _row), total=total)


def parse_deletion(body: Any, /, *, fleet_id: str) -> FleetDeletion:
    """The answer's body is documented nowhere: an empty 2xx counts as done (contract 4.1)."""
    row = unwrap(body, "fleet", "data")
    return FleetDeletion(
        fleet_id=row.maybe_text("fleetId") or fleet_id,
        status=row.maybe_text("status") or "deleted",
        machines=each(row.rows("machines"), _outcome),
    )


def _outcome(row: Fields) -> MachineOutcome:
    error, _code = row.maybe_reason("error")
    return MachineOutcome(
        machine_id=row.text("machineId"),
        outcome=row.maybe_text("outcome", "status") or "unknown",
        error=error,
    )


def _row(row: Fields) -> FleetRow:
    parent = row.maybe_mapping("parent")
    return FleetRow(
        fleet_id=row.text("fleetId", "id"),
        status=row.text("status"),
        parent=parent or None,
        metadata=row.maybe_mapping("metadata"),
        machines=each(row.rows("machines"), _machine),
        created_at=row.maybe_time("createdAt"),
        raw=row.raw,
    )


def _machine(row: Fields) -> MachineRow:
    error, _code = row.maybe_reason("error")
    return MachineRow(
        machine_id=row.text("machineId"),
        sandbox_id=row.maybe_text("sandboxId"),
        role=row.maybe_text("role"),
        status=row.text("status"),
        resources=row.maybe_mapping("resources"),
        error=error,
        metadata=row.maybe_mapping("metadata"),
    )
