"""What a machine's runtime can do (contract 3.6)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fleets.platform_api.fields import unwrap


@dataclass(frozen=True, slots=True)
class RuntimeCapabilities:
    """None = the document does not say; a platform that is silent promises nothing."""

    schema: int | None
    agent_interface: str | None
    sidecar_version: str | None
    image: str | None
    names_execution_on_admission: bool | None
    cancels_idempotently: bool | None
    replays_events: bool | None
    dedupes_answers: bool | None
    raw: Mapping[str, Any] = field(repr=False, compare=False)


def parse_capabilities(body: Any, /) -> RuntimeCapabilities:
    """The document, bare or under `data`. Raises FieldError."""
    row = unwrap(body, "data", "capabilities")

    def can(group: str, name: str) -> bool | None:
        inner = row.child(group)
        if inner is None or inner.body.get(name) is None:
            return None
        return inner.flag(name, default=False)

    return RuntimeCapabilities(
        schema=row.maybe_int("schema"),
        agent_interface=row.maybe_text("agentInterface"),
        sidecar_version=row.maybe_text("sidecarVersion"),
        image=row.maybe_text("image"),
        names_execution_on_admission=can("dispatch", "executionIdOnAdmission"),
        cancels_idempotently=can("cancel", "idempotent"),
        replays_events=can("runs", "eventReplay"),
        dedupes_answers=can("interactions", "responseDedupe"),
        raw=row.raw,
    )
