"""The account's money (contract 5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from fleets.platform_api.fields import Fields, each, unwrap, unwrap_rows


@dataclass(frozen=True, slots=True)
class Balance:
    """What the account has and ever spent; the balance can be below zero."""

    balance_usd: Decimal | None
    lifetime_spent_usd: Decimal | None
    updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class Transaction:
    """One row of the account's ledger. `kind`: compute, refund, inference, or what it says."""

    id: str
    amount_usd: Decimal | None
    kind: str | None
    product: str | None
    description: str | None
    created_at: datetime | None
    reference_id: str | None
    group_key: str | None
    key_id: str | None
    raw: Mapping[str, Any] = field(repr=False, compare=False)


def parse_balance(body: Any, /) -> Balance:
    """`{balance, lifetimeSpent, updatedAt?}`. Raises FieldError."""
    row = unwrap(body, "data")
    return Balance(
        balance_usd=row.maybe_usd("balance"),
        lifetime_spent_usd=row.maybe_usd("lifetimeSpent"),
        updated_at=row.maybe_time("updatedAt"),
    )


def parse_transactions(body: Any, /) -> tuple[Transaction, ...]:
    """A list of rows, in any envelope. Raises FieldError."""
    rows, _total = unwrap_rows(body, "transactions")
    return each(rows, _transaction)


def _transaction(row: Fields) -> Transaction:
    return Transaction(
        id=row.text("id"),
        amount_usd=row.maybe_usd("amount"),
        kind=row.maybe_text("type"),
        product=row.maybe_text("product"),
        description=row.maybe_text("description"),
        created_at=row.maybe_time("createdAt"),
        reference_id=row.maybe_text("referenceId"),
        group_key=row.maybe_text("groupKey"),
        key_id=row.maybe_text("key_id", "keyId"),
        raw=row.raw,
    )
