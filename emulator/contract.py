"""The contract table: one row per emulated operation. `docs/emulator.md` is generated from it.

`python -m emulator.contract > docs/emulator.md`
"""

import sys
from dataclasses import dataclass

BASES = ("sandbox", "id", "router")
PROVENANCE = {
    "D": "documented",
    "C": "seen in working code, a test or a recorded run",
    "I": "inferred",
    "U": "unknown: decided by us",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One route. `path` is below its base; `query` are the parameters that it knows."""

    name: str
    method: str
    base: str
    path: str
    provenance: str
    section: str
    note: str
    query: tuple[str, ...] = ()
    date: str = "2026-11-29"


_BOX = "/v1/sandboxes/{sandboxId}"
_SESSIONS = f"{_BOX}/runtime/agents/sessions"
_SESSION = f"{_SESSIONS}/{{sessionId}}"

OPERATIONS = (
    Operation("keys.mint", "POST", "id", "/v1/keys", "C", "5",
              "Makes a child of the signing key. 201; the status is ours."),
    Operation("keys.list", "GET", "id", "/v1/keys", "C", "5",
              "With children=true every key below the signing one, revoked ones too; without it "
              "the signing key alone (ours).", ("children",)),
    Operation("keys.read", "GET", "id", "/v1/keys/{keyId}", "C", "5; 10 row 16",
              "budgetReserved and budgetRemaining are ours."),
    Operation("keys.patch", "PATCH", "id", "/v1/keys/{keyId}", "C", "5; 10 row 24",
              "A budget below spent + reserved cuts off: ours."),
    Operation("keys.revoke", "DELETE", "id", "/v1/keys/{keyId}", "C", "5",
              "Revokes descendants too; the answer's body is ours."),
    Operation("billing.balance", "GET", "id", "/v1/billing/balance", "D", "5",
              "Account key only (ours)."),
    Operation("billing.transactions", "GET", "id", "/v1/billing/transactions", "C", "5",
              "Charges, newest first. Compute is one row per key and minute, not per sandbox.",
              ("limit", "product", "keyId")),
    Operation("fleets.create", "POST", "sandbox", "/v1/fleets", "I", "4.1; 10 row 1",
              "Idempotency-Key replays; same key and another body is 409."),
    Operation("fleets.list", "GET", "sandbox", "/v1/fleets", "I", "10 row 3", "Oldest first.",
              ("parentFleetId", "limit", "offset")),
    Operation("fleets.get", "GET", "sandbox", "/v1/fleets/{fleetId}", "I", "10 row 3",
              "404 once it is deleted."),
    Operation("fleets.delete", "DELETE", "sandbox", "/v1/fleets/{fleetId}", "D", "10 rows 5, 33",
              "202 while machines are left, then 200 once, then 404; revokes the tree's keys."),
    Operation("sandboxes.list", "GET", "sandbox", "/v1/sandboxes", "D", "2.1",
              "Only machines of fleets so far.", ("status", "limit", "offset")),
    Operation("sandboxes.get", "GET", "sandbox", _BOX, "D", "2.1", "404 after a delete."),
    Operation("sandboxes.delete", "DELETE", "sandbox", _BOX, "D", "2.1",
              "Answers success and outcome; a second delete says already_absent."),
    Operation("sandboxes.stop", "POST", "sandbox", f"{_BOX}/stop", "D", "2.1",
              "Running turns end as failed with SANDBOX_STOPPED (ours)."),
    Operation("sandboxes.resume", "POST", "sandbox", f"{_BOX}/resume", "D", "2.1",
              "Goes through provisioning."),
    Operation("sessions.dispatch", "POST", "sandbox", f"{_BOX}/runtime/agents/run/stream", "C",
              "3.2, 3.3; 10 rows 13, 31", "Only with detach:true so far; 202 with a receipt."),
    Operation("sessions.list", "GET", "sandbox", _SESSIONS, "U", "10 row 12a",
              "failureReason is {executionId, errorCode, message}.", ("limit", "offset")),
    Operation("sessions.state", "GET", "sandbox", _SESSION, "C", "3.1; 10 row 12",
              "Nested under data."),
    Operation("sessions.events", "GET", "sandbox", f"{_SESSION}/events", "I", "3.5; 10 rows 12, 14",
              "Cursor exclusive; `since` wins over Last-Event-ID.", ("executionId", "since")),
    Operation("sessions.result", "GET", "sandbox", f"{_SESSION}/result", "I", "3.4; 10 row 12",
              "404 while the execution runs. A cancelled turn is failed with errorCode CANCELLED.",
              ("executionId",)),
    Operation("sessions.abort", "POST", "sandbox", f"{_SESSION}/abort", "C", "3.1",
              "cancelled:false with noopReason when nothing runs; 404 for an unknown session."),
    Operation("sessions.turn", "GET", "sandbox", f"{_SESSION}/turns/{{turnId}}", "I",
              "3.3; 10 row 12", "404 = miss, also while the turn runs."),
    Operation("sessions.executions", "GET", "sandbox", f"{_SESSION}/executions", "U", "10 row 12",
              "Nested as data.executions (ours)."),
)  # fmt: skip


def main() -> None:
    """Print the page."""
    from emulator.handbook import page

    sys.stdout.write(page())


if __name__ == "__main__":
    main()
