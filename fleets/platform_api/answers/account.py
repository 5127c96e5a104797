"""What the account used, and its plan (contract 2.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from fleets.platform_api.fields import unwrap

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AccountUsage:
    """The account's use, in the words of either view; None where neither says it."""

    org_id: str | None
    period: str | None
    period_start: datetime | None
    period_end: datetime | None
    active_sandboxes: int | None
    active_sessions: int | None
    sessions_created: int | None
    messages_sent: int | None
    compute_ms: int | None
    compute_minutes_today: int | None
    api_calls_today: int | None
    raw: Raw = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Subscription:
    """The plan. `credits_usd` can be below zero; a ceiling of 0 machines means none."""

    plan: str | None
    status: str | None
    period_end: datetime | None
    credits_usd: Decimal | None
    max_sandboxes: int | None
    sessions_per_day: int | None
    compute_minutes_per_day: int | None
    raw: Raw = field(repr=False, compare=False)


def parse_usage(body: Any, /) -> AccountUsage:
    """The documented view or the newer one. Raises FieldError."""
    row = unwrap(body, "data")
    return AccountUsage(
        org_id=row.maybe_text("orgId"),
        period=row.maybe_text("period"),
        period_start=row.maybe_time("periodStart"),
        period_end=row.maybe_time("periodEnd"),
        active_sandboxes=row.maybe_int("active_sandboxes", "activeSandboxes"),
        active_sessions=row.maybe_int("activeSessionCount"),
        sessions_created=row.maybe_int("sessionsCreated"),
        messages_sent=row.maybe_int("messagesSent"),
        compute_ms=row.maybe_int("computeMs"),
        compute_minutes_today=row.maybe_int("compute_minutes_today"),
        api_calls_today=row.maybe_int("api_calls_today"),
        raw=row.raw,
    )


def parse_subscription(body: Any, /) -> Subscription:
    """The documented view or the newer one. Raises FieldError."""
    row = unwrap(body, "data")
    limits = row.child("limits")
    ceiling = row.maybe_int("maxConcurrentSandboxes")
    if ceiling is None and limits is not None:
        ceiling = limits.maybe_int("maxConcurrent")
    return Subscription(
        plan=row.maybe_text("plan"),
        status=row.maybe_text("status"),
        period_end=row.maybe_time("currentPeriodEnd"),
        credits_usd=row.maybe_usd("creditsAvailableUsd"),
        max_sandboxes=ceiling,
        sessions_per_day=None if limits is None else limits.maybe_int("sessionsPerDay"),
        compute_minutes_per_day=(
            None if limits is None else limits.maybe_int("computeMinutesPerDay")
        ),
        raw=row.raw,
    )
