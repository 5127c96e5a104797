"""Driving: agents with two-second turns, beside the bare script on the same emulator.

Both journals are compared: where the kinds of requests differ no ratio is printed, because the two
did not do the same work.
"""

import asyncio
import gc
import os
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from bench import house
from bench.bare import run_bare
from bench.machine import Meter, peak_memory_mb
from bench.tables import say, show

TURN_S = 2
SIZE = "large"
PROMPT = f"[[ok]] [[slow {TURN_S}]] [[calls 3]] Review part one and say what is wrong."
# Far above what anybody sends: the pace of a plan is not what is measured.
RATE_PER_MINUTE = 6_000_000
LIMIT_S = 280.0
LIMIT_EACH_S = 0.06
# In one process nothing is ever driven beside anything else; larger numbers are the worker's.
MOST_HERE = 1_000
# The beat looks for fleets that others made, whatever is driven: counted, no difference of work.
HOUSEKEEPING = frozenset({"fleets.list", "profiles.list"})
HEAD = (
    "agents", "who", "wall s", "turns s", "ratio", "CPU ratio", "requests", "per turn", "commits",
    "CPU s: driver", "beat", "Postgres", "Valkey", "emulator", "peak MB",
)  # fmt: skip


@dataclass
class Drive:
    """One pass as it went. `turns_s`: from the first dispatch that arrived to the last request."""

    who: str
    wall_s: float
    turns_s: float
    journal: Counter[str]
    cpu_s: dict[str, float]
    commits: int | None = None
    peak_mb: float = 0.0
    left: int = 0


def main(agents: list[int]) -> None:
    """Bare script, ticks in this process, ticks in a Celery worker; for each number of agents."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for count in agents:
        bare = drive_bare(count)
        rows.append(_row(count, bare, bare))
        drives = [drive_here] if count <= MOST_HERE else []
        for drive in [one(count) for one in (*drives, drive_with_worker)]:
            rows.append(_row(count, drive, bare))
            notes += _differences(count, drive, bare)
    show("Driving: 2-second turns, one per agent", HEAD, rows, "\n".join(notes))


def drive_bare(count: int) -> Drive:
    say(f"{count:,} agents: bare script")
    # A script has no Django in its memory: what is loaded here must not be looked through for it.
    gc.collect()
    gc.freeze()
    with house.emulator() as platform:
        meter = Meter.start(driver=os.getpid(), emulator=platform.pid)
        wall_s = asyncio.run(run_bare(platform.url, agents=count, size=SIZE, prompt=PROMPT))
        return _drive("bare script", wall_s, meter.read(), platform)


def drive_here(count: int) -> Drive:
    """The services' ticks, called one after the other in this process."""
    from fleets.gateway import close_gateway

    say(f"{count:,} agents: ticks in one process")
    house.empty()
    with house.emulator() as platform:
        actor = prepare(platform)
        commits = _commits()
        meter = Meter.start(driver=os.getpid(), emulator=platform.pid, **house.server_pids())
        began = time.monotonic()
        fleet = _launch(count, actor=actor)
        _tick_until_done(fleet, began + _limit_s(count))
        wall_s, cpu_s = time.monotonic() - began, meter.read()
        close_gateway()
        drive = _drive("ticks, one process", wall_s, cpu_s, platform)
        drive.commits, drive.peak_mb = _commits() - commits, peak_memory_mb(os.getpid())
        return _finished(drive, fleet)


def drive_with_worker(count: int) -> Drive:
    """The product as it runs: a worker with two processes and the beat."""
    from bench.machine import children

    say(f"{count:,} agents: Celery worker")
    house.empty()
    with house.emulator() as platform:
        actor = prepare(platform)
        commits = _commits()
        with house.workers() as pids:
            meter = Meter.start(
                driver=pids["worker"], beat=pids["beat"], emulator=platform.pid,
                **house.server_pids(),
            )  # fmt: skip
            began = time.monotonic()
            fleet = _launch(count, actor=actor)
            until = began + _limit_s(count)
            while not _is_done(fleet) and time.monotonic() < until:
                time.sleep(0.1)
            wall_s, cpu_s = time.monotonic() - began, meter.read()
            peak_mb = max(map(peak_memory_mb, children(pids["worker"])), default=0.0)
        drive = _drive("Celery worker", wall_s, cpu_s, platform)
        drive.commits, drive.peak_mb = _commits() - commits, peak_mb
        return _finished(drive, fleet)


def _limit_s(count: int) -> float:
    """How long a pass may take, on a machine that others use too."""
    return LIMIT_S + count * LIMIT_EACH_S


def prepare(platform: house.Server) -> Any:
    """A connection, a team and whoever launches; the account's budget of requests is filled.

    It begins empty where Redis was emptied, which a product that is in use never sees.
    """
    from fleets.domain.status import Role
    from fleets.models import Connection, SealedSecret, Team, User
    from fleets.services.actor import Actor

    connection = Connection.objects.create(
        name="emulator",
        sandbox_url=f"{platform.url}/sandbox",
        id_url=f"{platform.url}/id",
        router_url=f"{platform.url}/router/v1",
        api_key=SealedSecret.seal(house.ACCOUNT_KEY),
        api_key_last_four=house.ACCOUNT_KEY[-4:],
        api_key_fingerprint="00000000",
        rate_per_minute=RATE_PER_MINUTE,
        is_emulator=True,
    )
    Team.objects.create(name="bench", slug="bench")
    user = User.objects.create(username="bench", role=Role.ADMIN)
    asyncio.run(_fill(str(connection.pk)))
    return Actor(user=user, door="command")


async def _fill(connection: str) -> None:
    from fleets.rate_budget import RateBudget

    url = os.environ["REDIS_URL"]
    budget = RateBudget.at(url, connection=connection, per_minute=RATE_PER_MINUTE)
    while (await budget.look()).tokens < budget.burst:
        await asyncio.sleep(0.5)
    await budget.aclose()


def _launch(count: int, *, actor: Any) -> Any:
    from fleets.domain.spec import LaunchSpec
    from fleets.services.launch import launch_fleet

    spec = LaunchSpec(
        name="bench", team_slug="bench", count=count, prompt=PROMPT, size=SIZE, at_once=count
    )
    return launch_fleet(spec, actor=actor, idempotency_key="bench")


def _tick_until_done(fleet: Any, until: float) -> None:
    from django.utils import timezone

    from fleets.services import operations
    from fleets.services.driving import lease
    from fleets.services.driving.tick import tick_run
    from fleets.services.performing import perform_operation

    while not _is_done(fleet) and time.monotonic() < until:
        now = timezone.now()
        worked = [perform_operation(one, owner="bench") for one in operations.overdue(now=now)]
        worked += [tick_run(one, owner="bench") for one in lease.due_runs(now=now)]
        if not any(worked):
            time.sleep(0.02)


def _is_done(fleet: Any) -> bool:
    fleet.refresh_from_db(fields=["work_ended_at"])
    return fleet.work_ended_at is not None


def _finished(drive: Drive, fleet: Any) -> Drive:
    fleet.refresh_from_db()
    drive.left = fleet.agents_total - fleet.tasks_completed
    return drive


def _commits() -> int:
    """Commits of the database so far. Other connections report theirs when they are closed."""
    from django.db import connection

    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # of the Postgres backend only
    time.sleep(0.5)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        )
        return int(cursor.fetchone()[0])


def _drive(who: str, wall_s: float, cpu_s: dict[str, float], platform: house.Server) -> Drive:
    entries = house.control(platform, "GET", "journal")["entries"]
    dispatches = [one["atMs"] for one in entries if one["operation"] == "sessions.dispatch"]
    last_ms = max(one["atMs"] for one in entries)
    turns_s = (last_ms - min(dispatches)) / 1000
    return Drive(who, wall_s, turns_s, Counter(one["operation"] for one in entries), cpu_s)


def _row(count: int, drive: Drive, bare: Drive) -> tuple[str, ...]:
    kinds = set(drive.journal) - HOUSEKEEPING
    is_same = kinds == set(bare.journal) - HOUSEKEEPING and not drive.left
    requests = drive.journal.total()
    cpu = [drive.cpu_s.get(name) for name in ("driver", "beat", "postgres", "valkey", "emulator")]
    return (
        f"{count:,}",
        drive.who,
        f"{drive.wall_s:.1f}",
        f"{drive.turns_s:.1f}",
        f"{drive.wall_s / bare.wall_s:.2f}" if is_same else "none",
        f"{drive.cpu_s['driver'] / bare.cpu_s['driver']:.2f}" if is_same else "none",
        f"{requests:,}",
        f"{requests / count:.2f}",
        "–" if drive.commits is None else f"{drive.commits:,}",
        *("–" if value is None else f"{value:.1f}" for value in cpu),
        f"{drive.peak_mb:.0f}" if drive.peak_mb else "–",
    )


def _differences(count: int, drive: Drive, bare: Drive) -> list[str]:
    notes = []
    if drive.left:
        notes.append(f"{count:,} agents, {drive.who}: {drive.left:,} not completed in time.")
    for name in sorted(set(drive.journal) | set(bare.journal)):
        ours, theirs = drive.journal[name], bare.journal[name]
        if ours != theirs:
            notes.append(f"{count:,} agents, {drive.who}: {name} {ours:,}, bare {theirs:,}.")
    return notes
