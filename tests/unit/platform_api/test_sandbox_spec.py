"""A sandbox's create body: every documented field under its own name, and only what was given."""

from dataclasses import fields
from decimal import Decimal
from typing import Any

import pytest

from fleets.platform_api.sandbox_spec import Resources, SandboxSpec

GIT = {"url": "u", "ref": "main", "depth": 1, "sparse": ["src"], "auth": {"token": "t0ken"}}
# Contract 2.2, row by row.
FULL: dict[str, tuple[Any, str, Any]] = {
    "name": ("box", "name", "box"),
    "environment": ("universal", "environment", "universal"),
    "resources": (
        Resources(Decimal("0.5"), 4096, disk_gb=20, accelerator={"kind": "a100", "count": 1}),
        "resources",
        {
            "cpuCores": Decimal("0.5"),
            "memoryMB": 4096,
            "diskGB": 20,
            "accelerator": {"kind": "a100", "count": 1},
        },
    ),
    "env": ({"A": "b"}, "env", {"A": "b"}),
    "git": (
        {"url": "u", "auth": {"token": "t0ken"}},
        "git",
        {"url": "u", "auth": {"token": "t0ken"}},
    ),
    "backend": ({"type": "codex"}, "backend", {"type": "codex"}),
    "max_lifetime_s": (86_400, "maxLifetimeSeconds", 86_400),
    "idle_timeout_s": (3_600, "idleTimeoutSeconds", 3_600),
    "delete_after_stopped_s": (60, "deleteAfterStoppedSeconds", 60),
    "metadata": ({"fleetdash": {}}, "metadata", {"fleetdash": {}}),
    "secrets": (("NPM_TOKEN",), "secrets", ["NPM_TOKEN"]),
    "egress_policy": ({"mode": "strict"}, "egressPolicy", {"mode": "strict"}),
    "owner_context": ("isolated", "ownerContext", "isolated"),
    "capabilities": (("computer_use",), "capabilities", ["computer_use"]),
    "from_snapshot": ("snap", "fromSnapshot", "snap"),
    "from_sandbox_id": ("sandbox-1", "fromSandboxId", "sandbox-1"),
    "storage": ({"type": "s3"}, "storage", {"type": "s3"}),
    "driver": ("firecracker", "driver", {"type": "firecracker"}),
    "ssh_enabled": (True, "sshEnabled", True),
    "ssh_public_key": ("ssh-ed25519 A", "sshPublicKey", "ssh-ed25519 A"),
    "web_terminal_enabled": (False, "webTerminalEnabled", False),
    "bare": (False, "bare", False),
    "public_template_id": ("tpl", "publicTemplateId", "tpl"),
    "team_id": ("team", "teamId", "team"),
    "billing_owner_id": ("owner", "billingOwnerId", "owner"),
    "initial_users": (("u",), "permissions", {"initialUsers": ["u"]}),
    "tools": ({"bash": True}, "tools", {"bash": True}),
    "agent": (False, "agent", False),
    "confidential": ({"tee": "tdx"}, "confidential", {"tee": "tdx"}),
}


def test_every_field_travels_under_its_documented_name() -> None:
    assert set(FULL) == {one.name for one in fields(SandboxSpec)}
    spec = SandboxSpec(**{name: value for name, (value, _wire, _sent) in FULL.items()})
    assert spec.body() == {wire: sent for _value, wire, sent in FULL.values()}


@pytest.mark.parametrize("name", FULL)
def test_what_is_not_given_is_not_sent(name: str) -> None:
    value, wire, sent = FULL[name]
    assert SandboxSpec(**{name: value}).body() == {wire: sent}


def test_all_secrets_is_a_word_and_not_a_list_of_letters() -> None:
    assert SandboxSpec(secrets="all").body() == {"secrets": "all"}


def test_what_may_hold_a_secret_is_not_shown() -> None:
    spec = SandboxSpec(
        env={"A": "t0ken"}, git={"auth": {"token": "t0ken"}}, storage={"credentials": "t0ken"}
    )
    assert "t0ken" not in repr(spec)
