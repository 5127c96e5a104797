"""Secrets that the account keeps on the platform: their names, never their values (2.1)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap_rows


@dataclass(frozen=True, slots=True)
class SecretName:
    """A stored secret, as a sandbox's `secrets` names it."""

    name: str
    created_at: datetime | None
    updated_at: datetime | None


def parse_secrets(body: Any, /) -> tuple[SecretName, ...]:
    """`{secrets:[{name, …}]}`; a value that should come with it is not read. FieldError."""
    rows, _total = unwrap_rows(body, "secrets")
    return each(rows, _secret)


def _secret(row: Fields) -> SecretName:
    return SecretName(
        name=row.text("name"),
        created_at=row.maybe_time("createdAt"),
        updated_at=row.maybe_time("updatedAt"),
    )
