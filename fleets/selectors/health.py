"""How the house does: every part asked in turn; what does not answer is said, never raised."""

import asyncio
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from fleets import pulse
from fleets.domain.health import (
    DISK_LEFT_PERCENT,
    LAG_S,
    SILENT_S,
    SLOW_S,
    Condition,
    Part,
    PlatformFacts,
    Worker,
    by_age,
    overall,
    percentile_s,
    platform_part,
    queue_part,
    workers_part,
)
from fleets.domain.numbers import show_count
from fleets.domain.status import TERMINAL_FLEETS
from fleets.models import Connection, Fleet, Operation, Run
from fleets.rate_budget import RateBudget, RateState

QUEUES: Final = ("interactive", "drive", "checks", "housekeeping")
STALE_AFTER: Final = timedelta(seconds=60)
_MB: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class House:
    """The health page's data."""

    condition: str
    sentence: str
    parts: tuple[Part, ...]
    facts: tuple[tuple[str, str], ...]
    at: datetime


def house_health(*, now: datetime) -> House:
    """Ask every part. Works, and says so, while the database or Redis is away."""
    parts = [database_part()]
    has_database = parts[0].condition is not Condition.DOWN
    parts.append(redis_part())
    if parts[1].condition is not Condition.DOWN:
        parts += _told_by_redis(now=now, has_database=has_database)
    if has_database:
        parts.append(fleets_part(now=now))
    condition, sentence = overall(parts)
    return House(
        condition.value, sentence, tuple(parts), tuple(_facts(has_database=has_database)), now
    )


def database_part() -> Part:
    """Postgres: how fast it answers, and how many connections are taken."""
    began = time.monotonic()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            took_s = time.monotonic() - began
            cursor.execute(
                "SELECT current_setting('server_version'), current_setting('max_connections')::int,"
                " (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),"
                " pg_database_size(current_database())"
            )
            version, most, taken, size = cursor.fetchone()
    except DatabaseError as error:
        return Part("Database", Condition.DOWN, f"no answer: {_first_line(error)}")
    is_tight = taken * 10 > most * 9
    detail = f"Postgres {version.split()[0]}, {taken} of {most} connections, {_size(size)}"
    condition = Condition.SLOW if is_tight or took_s > SLOW_S else Condition.OK
    return Part("Database", condition, detail, latency_s=took_s, heard_s=0.0)


def redis_part() -> Part:
    """Redis or Valkey: how fast it answers, and the memory it uses."""
    try:
        took_s, used = pulse.server()
    except pulse.Away as error:
        return Part("Redis", Condition.DOWN, f"no answer: {_first_line(error)}")
    return Part("Redis", Condition.OK, f"{_size(used)} in use", latency_s=took_s, heard_s=0.0)


def fleets_part(*, now: datetime) -> Part:
    """Fleets under way, and those the platform has not spoken of for a minute."""
    live = Fleet.objects.exclude(state__in=TERMINAL_FLEETS).filter(
        created_on_platform_at__isnull=False, is_demo=False
    )
    total = live.count()
    stale = live.filter(platform_seen_at__lt=now - STALE_AFTER).count()
    latest = live.order_by("-platform_seen_at").values_list("platform_seen_at", flat=True).first()
    heard_s = (now - latest).total_seconds() if latest else None
    detail = f"{show_count(total)} live, {show_count(stale)} not read for over a minute"
    condition = Condition.SLOW if stale else Condition.OK
    return Part("Fleets watched", condition, detail, heard_s=heard_s)


def _told_by_redis(*, now: datetime, has_database: bool) -> list[Part]:
    try:
        signs = pulse.signs()
        parts = [
            queue_part(
                pulse.queue_depths(QUEUES), oldest_s=_oldest_s(now=now) if has_database else None
            ),
            workers_part(_workers(signs)),
            _scheduler(signs),
            _follower(signs),
            _live_updates(signs),
        ]
        if has_database:
            parts += [_platform(one) for one in Connection.objects.defer("api_key")]
    except pulse.Away as error:
        return [Part("Processes", Condition.UNKNOWN, f"Redis went away: {_first_line(error)}")]
    return parts


def _oldest_s(*, now: datetime) -> float | None:
    """Seconds since the most overdue run or operation was due; None when nothing is."""
    dues = (
        Run.objects.filter(ended_at__isnull=True, next_tick_at__lt=now, lease_until__isnull=True)
        .order_by("next_tick_at")
        .values_list("next_tick_at", flat=True)
        .first(),
        Operation.objects.filter(
            ended_at__isnull=True, next_attempt_at__lt=now, lease_until__isnull=True
        )
        .order_by("next_attempt_at")
        .values_list("next_attempt_at", flat=True)
        .first(),
    )
    return max(((now - due).total_seconds() for due in dues if due), default=None)


def _workers(signs: list[pulse.Sign]) -> list[Worker]:
    return [
        Worker(one.name, one.age_s, int(one.facts["places"]), int(one.facts["busy"]))
        for one in signs
        if one.kind == "worker"
    ]


def _scheduler(signs: list[pulse.Sign]) -> Part:
    age_s = min((one.age_s for one in signs if one.kind == "beat"), default=None)
    condition = Condition.DOWN if age_s is None else by_age(age_s)
    words = {
        Condition.OK: "sends the sweeps every 2 s",
        Condition.DOWN: "silent: what is lost is not sent again, idle fleets are not watched",
    }
    return Part("Scheduler", condition, words[condition], heard_s=age_s)


def _follower(signs: list[pulse.Sign]) -> Part:
    ages = [one.age_s for one in signs if one.kind == "follow"]
    living = [age_s for age_s in ages if age_s <= SILENT_S]
    if living:
        return Part("Follower", Condition.OK, f"{len(living)} alive", heard_s=min(living))
    detail = "none: everything completes, but what agents say comes at their end"
    return Part("Follower", Condition.SLOW, detail, heard_s=min(ages, default=None))


def _live_updates(signs: list[pulse.Sign]) -> Part:
    webs = [one for one in signs if one.kind == "web" and one.age_s <= SILENT_S]
    viewers = sum(int(one.facts["streams"]) for one in webs)
    lag_s = max((float(one.facts["lag_s"]) for one in webs), default=None)
    if lag_s is None:
        return Part("Live updates", Condition.OK, "nobody looks")
    condition = Condition.SLOW if lag_s > LAG_S else Condition.OK
    pages = "page" if viewers == 1 else "pages"
    detail = f"{show_count(viewers)} open {pages}, lag {lag_s:.1f} s"
    return Part("Live updates", condition, detail, heard_s=min(one.age_s for one in webs))


def _platform(account: Connection) -> Part:
    told = pulse.lately(account.pk)
    state, burst = _budget(account)
    answers = sum(told.outcomes.values())
    troubles = sum(count for name, count in told.outcomes.items() if name in _TROUBLES)
    return platform_part(
        PlatformFacts(
            name=account.name,
            latency_s=percentile_s(told.buckets, pulse.BOUNDS_S, percent=95),
            ok_age_s=told.ok_age_s,
            error_age_s=told.error_age_s,
            error=told.error,
            calls=answers,
            troubles=troubles,
            limited=told.outcomes.get("RateLimited", 0),
            blocked_s=state.blocked_s,
            tokens=state.tokens,
            burst=burst,
            waiting=sum(state.waiting.values()),
        )
    )


_TROUBLES: Final = frozenset(
    {"PlatformUnavailable", "ConnectFailed", "TimedOut", "ServerFault", "PlatformSurprise"}
)


def _budget(account: Connection) -> tuple[RateState, int]:
    async def look() -> tuple[RateState, int]:
        budget = RateBudget.at(
            settings.REDIS_URL, connection=str(account.pk), per_minute=account.rate_per_minute
        )
        try:
            return await budget.look(), budget.burst
        finally:
            await budget.aclose()

    return asyncio.run(look())


def _facts(*, has_database: bool) -> list[tuple[str, str]]:
    asks: list[tuple[str, Callable[[], str]]] = [("Version", _version), ("Disk", _disk)]
    if has_database:
        asks.insert(1, ("Migrations", _migrations))
    return [(name, ask()) for name, ask in asks]


def _version() -> str:
    return str(settings.FLEETDASH_VERSION)


def _migrations() -> str:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return "not known"
    return f"{len(missing)} missing: run manage.py migrate" if missing else "all applied"


def _disk() -> str:
    usage = shutil.disk_usage(settings.BASE_DIR)
    left = usage.free * 100 // usage.total
    warning = " (nearly full)" if left < DISK_LEFT_PERCENT else ""
    return f"{_size(usage.free)} of {_size(usage.total)} free{warning}"


def _size(count: int) -> str:
    if count >= 1000 * _MB:
        return f"{count / 1000 / _MB:.1f} GB"
    return f"{count / _MB:.1f} MB"


def _first_line(error: Any) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
