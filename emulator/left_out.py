"""What the contract names and the emulator leaves out: each answers 501 like any unknown route."""

LEFT_OUT = (
    ("POST, GET `/v1/sandboxes/{id}/snapshot(s)`, `/checkpoints`, `/fork`, `/snapshots`",
     "2.1", "snapshots; `fromSnapshot` and `fromSandboxId` of a create are 501 too"),
    ("`/v1/sandboxes/{id}/gpu/leases`", "2.1", "no accelerators here"),
    ("GET `/v1/sandboxes/{id}/events`", "2.1", "no source shows its frames"),
    ("`/v1/intelligence/reports`", "2.1", "nothing would read them"),
    ("`.../runtime/process/*`, `/preview-links`, `/search`, `/git/*`, `/fs/*`, `/tools*`",
     "2.4", "the scripted shell has no processes or ports"),
    ("`storage`, `confidential` of a create", "2.2", "501"),
    ("GET `.../runtime/agents/events`, POST `.../sessions/{sid}/messages`", "3.1",
     "the message lane: the run lane does all that is needed"),
    ("`/v1/sessions*`, `/v1/session/{id}/mapping`, `/batch/run`", "3.1, 7", "old paths"),
    ("POST `/v1/fleets/{id}/dispatch` with `prompt`", "4.1; 10 row 6", "501"),
    ("fleet tokens, artifacts, workspace, intelligence, trace export, reconcile", "10 row 9",
     "no source shows them"),
    ("`/v1/keys/verify`, `/v1/keys/provision`, `/v1/billing/usage`, `/topup`, `/deduct`, "
     "`/v1/plans/current`", "5", "for service tokens, or without a known shape"),
    ("scoped tokens, `connection` of a sandbox, terminals over WebSocket", "2.3, 2.4",
     "no direct way into a machine"),
    ("streamed router calls", "5", "501"),
)  # fmt: skip
