"""What a sandbox should be: every documented field of a create, and no other (contract 2.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from fleets.platform_api.encoding import given

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Resources:
    """A machine's size; memory in MB as the platform counts it. `accelerator`: kind, count, …"""

    cpu_cores: int | Decimal
    memory_mb: int
    disk_gb: int | None = None
    accelerator: Json | None = None

    def body(self) -> dict[str, Any]:
        """As it travels."""
        return given(
            cpuCores=self.cpu_cores,
            memoryMB=self.memory_mb,
            diskGB=self.disk_gb,
            accelerator=self.accelerator,
        )


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """None leaves a field to the platform. What may hold a secret is kept out of `repr`.

    `environment`: a named environment, an image reference or a built image's id. `secrets`: names
    of stored secrets, or all of them. `driver`: docker, firecracker, host-agent, tangle.
    """

    name: str | None = None
    environment: str | None = None
    resources: Resources | None = None
    env: Mapping[str, str] | None = field(default=None, repr=False)
    git: Json | None = field(default=None, repr=False)
    backend: Json | None = field(default=None, repr=False)
    max_lifetime_s: int | None = None
    idle_timeout_s: int | None = None
    delete_after_stopped_s: int | None = None
    metadata: Json | None = None
    secrets: Sequence[str] | Literal["all"] | None = None
    egress_policy: Json | None = None
    owner_context: str | None = None
    capabilities: Sequence[str] | None = None
    from_snapshot: str | None = None
    from_sandbox_id: str | None = None
    storage: Json | None = field(default=None, repr=False)
    driver: str | None = None
    ssh_enabled: bool | None = None
    ssh_public_key: str | None = None
    web_terminal_enabled: bool | None = None
    bare: bool | None = None
    public_template_id: str | None = None
    team_id: str | None = None
    billing_owner_id: str | None = None
    initial_users: Sequence[Any] | None = None
    tools: Any = None
    agent: bool | None = None
    confidential: Json | None = None

    def body(self) -> dict[str, Any]:
        """As it travels: only what was given."""
        return given(
            name=self.name,
            environment=self.environment,
            resources=None if self.resources is None else self.resources.body(),
            env=self.env,
            git=self.git,
            backend=self.backend,
            maxLifetimeSeconds=self.max_lifetime_s,
            idleTimeoutSeconds=self.idle_timeout_s,
            deleteAfterStoppedSeconds=self.delete_after_stopped_s,
            metadata=self.metadata,
            secrets=self.secrets if isinstance(self.secrets, str) else _list(self.secrets),
            egressPolicy=self.egress_policy,
            ownerContext=self.owner_context,
            capabilities=_list(self.capabilities),
            fromSnapshot=self.from_snapshot,
            fromSandboxId=self.from_sandbox_id,
            storage=self.storage,
            driver=None if self.driver is None else {"type": self.driver},
            sshEnabled=self.ssh_enabled,
            sshPublicKey=self.ssh_public_key,
            webTerminalEnabled=self.web_terminal_enabled,
            bare=self.bare,
            publicTemplateId=self.public_template_id,
            teamId=self.team_id,
            billingOwnerId=self.billing_owner_id,
            permissions=(
                None if self.initial_users is None else {"initialUsers": list(self.initial_users)}
            ),
            tools=self.tools,
            agent=self.agent,
            confidential=self.confidential,
        )


def _list(values: Sequence[Any] | None) -> list[Any] | None:
    return None if values is None else list(values)
