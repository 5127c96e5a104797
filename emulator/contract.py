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
    """One route. `path` is below its base; `query` are the parameters that it knows.

    `is_public`: it needs no key.
    """

    name: str
    method: str
    base: str
    path: str
    provenance: str
    section: str
    note: str
    query: tuple[str, ...] = ()
    date: str = "2026-11-29"
    is_public: bool = False


_BOX = "/v1/sandboxes/{sandboxId}"
_VARIABLE = "/v1/secrets/{secretName}"
_PROFILE = "/v1/profiles/{profileId}"
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
    Operation("keys.rotate", "POST", "id", "/v1/keys/{keyId}/rotate", "C", "5",
              "newKey is what a mint answers (ours); what was left moves to it. 409 while the key "
              "has live children (ours)."),
    Operation("billing.balance", "GET", "id", "/v1/billing/balance", "D", "5",
              "Account key only (ours)."),
    Operation("billing.transactions", "GET", "id", "/v1/billing/transactions", "C", "5",
              "Charges, newest first. Compute is one row per key and minute, not per sandbox.",
              ("limit", "product", "keyId")),
    Operation("billing.plans", "GET", "id", "/api/v1/plans", "C", "5, 9",
              "ETag and If-None-Match; the row's id and name are ours.", is_public=True),
    Operation("fleets.create", "POST", "sandbox", "/v1/fleets", "I", "4.1; 10 row 1",
              "Idempotency-Key replays; same key and another body is 409."),
    Operation("fleets.list", "GET", "sandbox", "/v1/fleets", "I", "10 row 3", "Oldest first.",
              ("parentFleetId", "limit", "offset")),
    Operation("fleets.capabilities", "GET", "sandbox", "/v1/fleets/capabilities", "D", "4.1",
              "The four drivers, without accelerators."),
    Operation("fleets.get", "GET", "sandbox", "/v1/fleets/{fleetId}", "I", "10 row 3",
              "404 once it is deleted."),
    Operation("fleets.delete", "DELETE", "sandbox", "/v1/fleets/{fleetId}", "D", "10 rows 5, 33",
              "202 while machines are left, then 200 once, then 404; revokes the tree's keys."),
    Operation("fleets.usage", "GET", "sandbox", "/v1/fleets/{fleetId}/usage", "D", "4.1",
              "Running time by machine; meteredUsage is null before any ran."),
    Operation("fleets.cost", "GET", "sandbox", "/v1/fleets/{fleetId}/cost", "D", "4.1",
              "hourlyUsd of the machines that run now; machineHourlyUsd is ours."),
    Operation("fleets.exec", "POST", "sandbox", "/v1/fleets/{fleetId}/dispatch", "D",
              "4.1, 4.3; 10 row 27", "exec only, from the scripted shell; six at once per request. "
              "timeoutMs is 60,000 by default (ours)."),
    Operation("fleets.dispatch", "GET", "sandbox", "/v1/fleets/{fleetId}/dispatch/{dispatchId}",
              "I", "10 row 7", "404 until the dispatch has ended."),
    Operation("sandboxes.create", "POST", "sandbox", "/v1/sandboxes", "D", "1.4, 2.1, 2.2",
              "A sandbox of no fleet, paid by the signing key. A keyed create derives its id from "
              "the key; same key and another body is 409 (ours). Every field of 2.2 is checked; "
              "the old `image`, `resources` and `backend` are read."),
    Operation("sandboxes.list", "GET", "sandbox", "/v1/sandboxes", "D", "2.1",
              "Oldest first.", ("status", "limit", "offset")),
    Operation("sandboxes.get", "GET", "sandbox", _BOX, "D", "2.1", "404 after a delete."),
    Operation("sandboxes.patch", "PATCH", "sandbox", _BOX, "C", "2.1",
              "Keep-alive: idleTimeoutSeconds counts anew. 409 unless it runs or will (ours)."),
    Operation("sandboxes.delete", "DELETE", "sandbox", _BOX, "D", "2.1",
              "Answers success and outcome; a second delete says already_absent."),
    Operation("sandboxes.stop", "POST", "sandbox", f"{_BOX}/stop", "D", "2.1",
              "Running turns end as failed with SANDBOX_STOPPED (ours)."),
    Operation("sandboxes.resume", "POST", "sandbox", f"{_BOX}/resume", "D", "2.1",
              "Goes through provisioning."),
    Operation("sandboxes.driver", "GET", "sandbox", f"{_BOX}/driver", "D", "2.1",
              "The figures are the emulator's own."),
    Operation("sandboxes.trace", "GET", "sandbox", f"{_BOX}/trace", "D", "2.1; 10 row 15",
              "The spans are ours; without traceId the latest turn.",
              ("traceId", "includeIntelligence")),
    Operation("runtime.capabilities", "GET", "sandbox", f"{_BOX}/runtime/capabilities", "C", "3.6",
              "The emulator's own values."),
    Operation("runtime.command", "POST", "sandbox", f"{_BOX}/runtime/terminals/commands", "D",
              "2.4", "From the scripted shell; 504 EXEC_TIMEOUT after `timeout` ms "
              "(60,000 by default, ours)."),
    Operation("runtime.read", "POST", "sandbox", f"{_BOX}/runtime/files/read", "D", "2.4",
              "utf8 only; 404 for a file that is not there (ours)."),
    Operation("runtime.write", "POST", "sandbox", f"{_BOX}/runtime/files/write", "D", "2.4",
              "utf8 only, up to 1 MiB (ours). The scripted shell reads what was written."),
    Operation("sessions.run", "POST", "sandbox", f"{_BOX}/runtime/agents/run", "D", "1.3, 3.1",
              "One blocking turn; 500 after 30 s of the emulator's clock, and the turn stops "
              "(ours)."),
    Operation("sessions.dispatch", "POST", "sandbox", f"{_BOX}/runtime/agents/run/stream", "C",
              "3.2, 3.3; 10 rows 13, 31", "With detach:true a 202 with a receipt. Without it the "
              "turn's frames as SSE: a stream that its caller drops stops the turn; 409 while "
              "another turn of the session is active (ours)."),
    Operation("sessions.list", "GET", "sandbox", _SESSIONS, "U", "10 row 12a",
              "failureReason is {executionId, errorCode, message}.", ("limit", "offset")),
    Operation("sessions.state", "GET", "sandbox", _SESSION, "C", "3.1; 10 row 12",
              "Nested under data."),
    Operation("sessions.events", "GET", "sandbox", f"{_SESSION}/events", "I", "3.5; 10 rows 12, 14",
              "Cursor exclusive; `since`, then `lastEventId`, then the header Last-Event-ID.",
              ("executionId", "since", "lastEventId")),
    Operation("sessions.result", "GET", "sandbox", f"{_SESSION}/result", "I", "3.4; 10 row 12",
              "404 while the execution runs. A cancelled turn is failed with errorCode CANCELLED.",
              ("executionId",)),
    Operation("sessions.abort", "POST", "sandbox", f"{_SESSION}/abort", "C", "3.1",
              "cancelled:false with noopReason when nothing runs; 404 for an unknown session."),
    Operation("sessions.turn", "GET", "sandbox", f"{_SESSION}/turns/{{turnId}}", "I",
              "3.3; 10 row 12", "404 = miss, also while the turn runs."),
    Operation("sessions.messages", "GET", "sandbox", f"{_SESSION}/messages", "I", "3.4; 10 row 12",
              "The latest `limit`, oldest first, nested as data.messages (ours).", ("limit",)),
    Operation("sessions.interactions", "GET", "sandbox", f"{_SESSION}/interactions", "C", "3.1",
              "What waits for an answer."),
    Operation("sessions.answer", "POST", "sandbox", f"{_SESSION}/interactions", "C", "3.1",
              "The same answer twice is 200, another one 409 (ours). The next turn goes on; it "
              "withdraws what nobody answered (ours)."),
    Operation("sessions.executions", "GET", "sandbox", f"{_SESSION}/executions", "U", "10 row 12",
              "Nested as data.executions (ours)."),
    Operation("account.usage", "GET", "sandbox", "/v1/usage", "D", "2.1",
              "period is the month; today is the emulator's UTC day."),
    Operation("account.subscription", "GET", "sandbox", "/v1/usage/subscription", "D", "2.1",
              "Of dial `plan`; both the documented fields and those of the newer view."),
    Operation("catalog.shapes", "GET", "sandbox", "/v1/shapes", "D", "2.1; 10 row 19",
              "Sizes and ceiling are ours."),
    Operation("catalog.backends", "GET", "sandbox", "/v1/backends", "C", "2.1, 8",
              "The 16 harnesses; what each can do is ours."),
    Operation("catalog.templates", "GET", "sandbox", "/v1/public-templates", "D", "1.1",
              "Nested as templates (ours), three of them.", is_public=True),
    Operation("catalog.featured", "GET", "sandbox", "/v1/public-templates/featured", "D", "1.1",
              "As catalog.templates.", is_public=True),
    Operation("catalog.egress", "GET", "sandbox", "/v1/pricing/egress", "D", "1.1, 9",
              "The names inside `plans` are ours.", is_public=True),
    Operation("secrets.create", "POST", "sandbox", "/v1/secrets", "C", "2.1",
              "201; 409 on a name that is taken. The name is a variable's, the account key's "
              "business (ours)."),
    Operation("secrets.list", "GET", "sandbox", "/v1/secrets", "C", "2.1",
              "Names and times, never values.", ("limit", "offset")),
    Operation("secrets.read", "GET", "sandbox", _VARIABLE, "C", "2.1", "The value alone."),
    Operation("secrets.patch", "PATCH", "sandbox", _VARIABLE, "C", "2.1",
              "A new value; machines that have the old one keep it (ours)."),
    Operation("secrets.delete", "DELETE", "sandbox", _VARIABLE, "C", "2.1", "Ours: success:true."),
    Operation("profiles.list", "GET", "sandbox", "/v1/profiles", "U", "6.2; 10 row 17",
              "Heads in the order of their making.", ("limit", "offset")),
    Operation("profiles.get", "GET", "sandbox", _PROFILE, "U", "6.2; 10 row 17",
              "The head or `revision`; ETag is the revision.", ("revision",)),
    Operation("profiles.put", "PUT", "sandbox", _PROFILE, "U", "6.2; 10 row 17",
              "The body is the profile, or {profile} as a read answers it. 201 for a new one."),
    Operation("profiles.delete", "DELETE", "sandbox", _PROFILE, "U", "6.2; 10 row 17",
              "If-Match is heeded. Made again, a profile goes on counting."),
    Operation("batch.run", "POST", "sandbox", "/v1/sandboxes/batch/run", "D", "7; 10 row 18",
              "The old body without backends is read too. Event names and data are ours; "
              "timeoutMs is each task's."),
    Operation("batch.cancel", "DELETE", "sandbox", "/v1/sandboxes/batch/{batchId}", "U",
              "10 row 29", "What was not completed ends as task.failed with CANCELLED."),
    Operation("router.models", "GET", "router", "/v1/models", "I", "1.1", "The price table."),
    Operation("router.chat", "POST", "router", "/v1/chat/completions", "D", "1.1, 1.2, 5",
              "402, 429, 503 and the router's headers; the text is always the same. No streams."),
)  # fmt: skip


def main() -> None:
    """Print the page."""
    from emulator.handbook import page

    sys.stdout.write(page())


if __name__ == "__main__":
    main()
