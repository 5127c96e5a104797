"""Keys and their budgets (contract 5, 10 rows 16, 24, 30, 33)."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from fleets.platform_api import operations as op
from fleets.platform_api.encoding import given
from fleets.platform_api.fields import FieldError, Fields, each, unwrap, unwrap_rows
from fleets.platform_api.resources.base import Resource
from fleets.platform_api.secret import Secret
from fleets.platform_api.types import KeyMinted, KeyRotated, KeyRow


class Keys(Resource):
    """Keys with budgets: mint, read, change, rotate, revoke (contract 5)."""

    async def mint(
        self,
        name: str,
        *,
        budget_usd: Decimal | None,
        parent_key_id: str | None = None,
        product: str | None = None,
        project_id: str | None = None,
        allowed_models: Sequence[str] | None = None,
        rpm_limit: int | None = None,
        expires_at: datetime | None = None,
    ) -> KeyMinted:
        """A new key, child of the signing one (or of `parent_key_id`).

        Never repeated after an unknown outcome: look for `name` in `list_children` first.
        Raises BudgetExhausted when the parent has less left than `budget_usd`.
        """
        body = given(
            name=name,
            budgetUsd=budget_usd,
            parentKeyId=parent_key_id,
            product=product,
            projectId=project_id,
            allowedModels=None if allowed_models is None else list(allowed_models),
            rpmLimit=rpm_limit,
            expiresAt=None if expires_at is None else expires_at.isoformat(),
        )
        return (await self._send(op.KEY_MINT, body=body)).parse(parse_minted)

    async def get(self, key_id: str) -> KeyRow:
        """Raises NotFound for a key that is not ours."""
        return (await self._send(op.KEY_GET, path={"key_id": key_id})).parse(parse_key)

    async def list_children(self) -> tuple[KeyRow, ...]:
        """The keys minted from the signing one, revoked ones included."""
        reply = await self._send(op.KEY_LIST_CHILDREN, query={"children": "true"})
        return reply.parse(parse_keys)

    async def patch(
        self,
        key_id: str,
        *,
        budget_usd: Decimal | None = None,
        name: str | None = None,
        allowed_models: Sequence[str] | None = None,
        rpm_limit: int | None = None,
        expires_at: datetime | None = None,
    ) -> KeyRow:
        """Changes what is given, keeps the rest.

        A budget below spent + reserved is accepted and means "nothing more" (row 24). Raises
        NotFound for a revoked key.
        """
        body = given(
            name=name,
            budgetUsd=budget_usd,
            allowedModels=None if allowed_models is None else list(allowed_models),
            rpmLimit=rpm_limit,
            expiresAt=None if expires_at is None else expires_at.isoformat(),
        )
        reply = await self._send(op.KEY_PATCH, path={"key_id": key_id}, body=body)
        return reply.parse(parse_key)

    async def rotate(self, key_id: str) -> KeyRotated:
        """A new key in the place of this one, which ends. Its value is answered this once.

        Never repeated: after an unknown outcome read the key, and if it is revoked, mint anew.
        """
        reply = await self._send(op.KEY_ROTATE, path={"key_id": key_id})
        return reply.parse(lambda body: parse_rotated(body, key_id=key_id))

    async def revoke(self, key_id: str) -> None:
        """Revokes the key and its descendants for good."""
        await self._send(op.KEY_REVOKE, path={"key_id": key_id})


def parse_rotated(body: Any, /, *, key_id: str) -> KeyRotated:
    """`newKey` is the secret alone, or the new key as a mint answers it. Raises FieldError."""
    row = unwrap(body, "data")
    revoked = row.maybe_text("revokedKeyId") or key_id
    if isinstance(row.body.get("newKey"), str):
        return KeyRotated(row.maybe_text("id", "newKeyId"), Secret(row.text("newKey")), revoked)
    inner = row.child("newKey")
    if inner is None:
        raise FieldError("answer.data.newKey", "missing")
    return KeyRotated(inner.maybe_text("id"), Secret(inner.text("key")), revoked)


def parse_minted(body: Any, /) -> KeyMinted:
    """A new key with its secret, which is told this once. Raises FieldError."""
    row = unwrap(body, "data")
    return KeyMinted(
        id=row.text("id"),
        key=Secret(row.text("key")),
        name=row.maybe_text("name") or "",
        budget_usd=row.maybe_usd("budgetUsd"),
    )


def parse_key(body: Any, /) -> KeyRow:
    """One key with its money in USD. Raises FieldError."""
    return _row(unwrap(body, "data", "key"))


def parse_keys(body: Any, /) -> tuple[KeyRow, ...]:
    """The signing key and what is below it. Raises FieldError."""
    rows, _total = unwrap_rows(body, "keys", "children")
    return each(rows, _row)


def _row(row: Fields) -> KeyRow:
    return KeyRow(
        id=row.text("id"),
        name=row.maybe_text("name"),
        parent_key_id=row.maybe_text("parentKeyId"),
        budget_usd=row.maybe_usd("budgetUsd"),
        spent_usd=row.maybe_usd("budgetSpent"),
        reserved_usd=row.maybe_usd("budgetReserved"),
        remaining_usd=row.maybe_usd("budgetRemaining"),
        revoked_at=row.maybe_time("revokedAt"),
        created_at=row.maybe_time("createdAt"),
        raw=row.raw,
        prefix=row.maybe_text("keyPrefix", "prefix"),
        product=row.maybe_text("product"),
        project_id=row.maybe_text("projectId"),
        allowed_models=_texts(row, "allowedModels"),
        rpm_limit=row.maybe_int("rpmLimit"),
        expires_at=row.maybe_time("expiresAt"),
        last_used_at=row.maybe_time("lastUsedAt"),
    )


def _texts(row: Fields, name: str) -> tuple[str, ...] | None:
    value = row.body.get(name)
    return tuple(str(one) for one in value) if isinstance(value, list) else None
