"""Which 5xx is temporary, for every operation (contract 1.3)."""

import httpx
import pytest

from fleets.platform_api import errors as e
from fleets.platform_api import operations as op
from fleets.platform_api.failures import from_answer

# "503 on lifecycle = control plane transient", and so is every 5xx of a read.
CONTROL_PLANE = {500, 502, 503, 504}
# "500 from a live box = the run's own failure."
LIVE_BOX = {502, 503, 504}

TABLE: dict[str, set[int]] = {
    "keys.mint": CONTROL_PLANE,
    "keys.get": CONTROL_PLANE,
    "keys.list_children": CONTROL_PLANE,
    "keys.patch": CONTROL_PLANE,
    "keys.revoke": CONTROL_PLANE,
    "keys.rotate": CONTROL_PLANE,
    "billing.balance": CONTROL_PLANE,
    "billing.transactions": CONTROL_PLANE,
    "fleets.create": CONTROL_PLANE,
    "fleets.get": CONTROL_PLANE,
    "fleets.list": CONTROL_PLANE,
    "fleets.delete": CONTROL_PLANE,
    "fleets.usage": CONTROL_PLANE,
    "fleets.cost": CONTROL_PLANE,
    "fleets.capabilities": CONTROL_PLANE,
    "fleets.exec": LIVE_BOX,
    "fleets.exec_read": CONTROL_PLANE,
    "sandboxes.create": CONTROL_PLANE,
    "sandboxes.get": CONTROL_PLANE,
    "sandboxes.list": CONTROL_PLANE,
    "sandboxes.keep_alive": CONTROL_PLANE,
    "sandboxes.delete": CONTROL_PLANE,
    "sandboxes.stop": CONTROL_PLANE,
    "sandboxes.resume": CONTROL_PLANE,
    "sandboxes.trace": CONTROL_PLANE,
    "runtime.command": LIVE_BOX,
    "runtime.write_file": LIVE_BOX,
    "runtime.read_file": LIVE_BOX,
    "runtime.capabilities": CONTROL_PLANE,
    "sessions.dispatch": LIVE_BOX,
    "sessions.stream": LIVE_BOX,
    "sessions.run": LIVE_BOX,
    "sessions.list": CONTROL_PLANE,
    "sessions.state": CONTROL_PLANE,
    "sessions.result": CONTROL_PLANE,
    "sessions.turn": CONTROL_PLANE,
    "sessions.events": CONTROL_PLANE,
    "sessions.messages": CONTROL_PLANE,
    "sessions.executions": CONTROL_PLANE,
    "sessions.interactions": CONTROL_PLANE,
    "sessions.answer": LIVE_BOX,
    "sessions.abort": CONTROL_PLANE,
    "profiles.list": CONTROL_PLANE,
    "profiles.get": CONTROL_PLANE,
    "profiles.put": CONTROL_PLANE,
    "profiles.delete": CONTROL_PLANE,
    "batches.run": LIVE_BOX,
    "batches.cancel": CONTROL_PLANE,
    "account.usage": CONTROL_PLANE,
    "account.subscription": CONTROL_PLANE,
    "catalog.shapes": CONTROL_PLANE,
    "catalog.backends": CONTROL_PLANE,
    "secrets.list": CONTROL_PLANE,
}
FIVES = (500, 501, 502, 503, 504, 505, 507, 520)


def test_the_table_has_every_operation() -> None:
    assert set(TABLE) == {operation.name for operation in op.ALL}
    constants = {value for value in vars(op).values() if isinstance(value, op.Operation)}
    assert constants == set(op.ALL)


@pytest.mark.parametrize("operation", op.ALL, ids=lambda operation: operation.name)
def test_a_5xx_is_temporary_where_the_table_says_so(operation: op.Operation) -> None:
    for status in FIVES:
        error = from_answer(operation, status, httpx.Headers(), b"{}", e.CallFacts())
        expected = e.ServerFault if status in TABLE[operation.name] else e.PlatformSurprise
        assert type(error) is expected, status
        # Temporary or not, nobody knows whether it happened.
        assert error.outcome_unknown
