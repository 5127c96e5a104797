"""Asks what became of open turns: one list per machine, then each ended turn's events."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from fleets.domain.status import TurnState
from fleets.models import Machine
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, PlatformError, RateLimited
from fleets.platform_api.reading import TurnFold, TurnReading, read_turn
from fleets.platform_api.resources.sessions import PAGE
from fleets.platform_api.sse import StreamEvent
from fleets.platform_api.types import FleetRow, KeyRow, SessionRow, TurnResult
from fleets.services.driving.open_turns import TurnRow
from fleets.services.driving.whole_reading import Stretch, read_whole

# Words in which a session says that nothing of it runs any more (contract 3.4).
ENDED_WORDS = frozenset(
    {"completed", "failed", "cancelled", "aborted", "expired", "idle", "terminal"}
    | {"blocked_on_approval", "awaiting_question", "awaiting_plan_decision"}
)
PEEK_IDLE_S = 0.2
PEEK_MAX_S = 1.5
# As many calls of a round at once as there are connections: the others wait here, where waiting
# counts against no timeout and comes before the rate budget is spent.
AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class TurnNews:
    """What was read about one open turn. `ended` is True only when the platform said so."""

    turn_pk: int
    execution_id: str | None
    status: str
    ended: bool
    trace_id: str | None = None
    last_event_at: datetime | None = None
    reading: TurnReading | None = None
    frames: tuple[StreamEvent, ...] = ()
    result: TurnResult | None = None
    cost_from_list: SessionRow | None = None


@dataclass(slots=True)
class News:
    """What one round of reads brought. A machine in `gone` answered 404."""

    turns: list[TurnNews] = field(default_factory=list)
    # Turns that run on, and nothing else is to be told of them: when they were last heard of.
    alive: dict[int, datetime | None] = field(default_factory=dict)
    warm: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    # Turns that their machine's list shows, whether or not the rest could be read.
    shown: set[int] = field(default_factory=set)
    fleet: FleetRow | None = None
    fleet_gone: bool = False
    key: KeyRow | None = None
    # What every machine that was read showed, by its primary key.
    sessions: dict[int, tuple[SessionRow, ...]] = field(default_factory=dict)
    errors: list[PlatformError] = field(default_factory=list)
    ends_left: int = 0
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    @property
    def words(self) -> str:
        """What went wrong, for an operator; the plan's pace is ours to keep and no news."""
        told = [error.message for error in self.errors if not isinstance(error, RateLimited)]
        return told[0][:500] if told else ""


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """What to read in this round. Figures are read beside the sessions, not after them."""

    machines: tuple[Machine, ...]
    turns_by_machine: dict[int, list[TurnRow]]
    fleet_id: str | None
    key_id: str | None
    # How many ended turns are read to their end in this round; the next one reads the others.
    most_ends: int = 1_000_000


async def read_round(client: PlatformClient, plan: ReadPlan, *, news: News | None = None) -> News:
    """Read everything in the plan side by side; what fails is in `errors`, nothing is raised.

    Who gives `news` sees it grow, and may take turns out of it to write them meanwhile.
    """
    news = news or News()
    news.ends_left = plan.most_ends
    work = [
        _read_machine(client, machine, plan.turns_by_machine.get(machine.pk, []), news)
        for machine in plan.machines
    ]
    if plan.fleet_id:
        work.append(_read_fleet(client, plan.fleet_id, news))
    if plan.key_id:
        work.append(_read_key(client, plan.key_id, news))
    await asyncio.gather(*work)
    return news


async def _read_fleet(client: PlatformClient, fleet_id: str, news: News) -> None:
    try:
        news.fleet = await client.fleets.get(fleet_id)
    except NotFound:
        news.fleet_gone = True
    except PlatformError as error:
        news.errors.append(error)


async def _read_key(client: PlatformClient, key_id: str, news: News) -> None:
    try:
        news.key = await client.keys.get(key_id)
    except PlatformError as error:
        news.errors.append(error)


async def _read_machine(
    client: PlatformClient, machine: Machine, turns: list[TurnRow], news: News
) -> None:
    try:
        async with news.places:
            sessions = await _all_sessions(client, machine.sandbox_id)
    except NotFound:
        news.gone.add(machine.pk)
        return
    except PlatformError as error:
        news.errors.append(error)
        return
    news.read.add(machine.pk)
    news.sessions[machine.pk] = tuple(sessions)
    rows = {row.session_id: row for row in sessions}
    work = [
        _read_turn(client, machine, turn, row, news)
        for turn in turns
        if (row := rows.get(turn.session)) and is_about(row, turn)
    ]
    await asyncio.gather(*work)


async def _all_sessions(client: PlatformClient, sandbox_id: str) -> list[SessionRow]:
    found: list[SessionRow] = []
    while True:
        page = await client.sessions.list(sandbox_id, limit=PAGE, offset=len(found))
        found.extend(page.sessions)
        if len(page.sessions) < PAGE:
            return found


def is_about(row: SessionRow, turn: TurnRow) -> bool:
    """Whether a session's row speaks of this turn, and not of one before it."""
    if turn.execution_id:
        return turn.execution_id in {row.latest_execution_id, row.active_execution_id}
    return row.latest_turn_id == turn.turn_id


async def _read_turn(
    client: PlatformClient, machine: Machine, turn: TurnRow, row: SessionRow, news: News
) -> None:
    news.shown.add(turn.pk)
    execution_id = turn.execution_id or row.latest_execution_id
    ended = row.status in ENDED_WORDS and row.active_execution_id is None
    if not ended:
        if machine.warm_at is None:
            await _peek(client, machine, turn, execution_id, news)
        if _runs_on(turn, row):
            news.alive[turn.pk] = row.last_event_at
            return
        news.turns.append(
            TurnNews(
                turn_pk=turn.pk,
                execution_id=execution_id,
                status=row.status,
                ended=False,
                trace_id=row.trace_id,
                last_event_at=row.last_event_at,
            )
        )
        return
    news.warm.add(machine.pk)
    if news.ends_left <= 0:
        return
    news.ends_left -= 1
    try:
        async with news.places:
            news.turns.append(await _read_end(client, machine, turn, row, execution_id))
    except PlatformError as error:
        # The end is known but not how: the next tick reads it again.
        news.errors.append(error)


def _runs_on(turn: TurnRow, row: SessionRow) -> bool:
    """Whether all that a running turn's row says of it is known."""
    is_known = turn.state is TurnState.RUNNING and bool(turn.execution_id)
    return is_known and (row.trace_id is None or row.trace_id == turn.trace_id)


async def _peek(
    client: PlatformClient, machine: Machine, turn: TurnRow, execution_id: str | None, news: News
) -> None:
    """Look whether the machine's first turn has reached a model (contract 10.25)."""
    fold = TurnFold()

    def is_warm(event: StreamEvent) -> bool:
        fold.add(event)
        return fold.warm

    try:
        async with news.places:
            await client.sessions.read_events(
                machine.sandbox_id,
                turn.session,
                execution_id=execution_id,
                stop_when=is_warm,
                idle_s=PEEK_IDLE_S,
                max_s=PEEK_MAX_S,
            )
    except PlatformError as error:
        news.errors.append(error)
        return
    if fold.warm:
        news.warm.add(machine.pk)


async def _read_end(
    client: PlatformClient,
    machine: Machine,
    turn: TurnRow,
    row: SessionRow,
    execution_id: str | None,
) -> TurnNews:
    what = Stretch(machine.sandbox_id, turn.session, execution_id)
    seen = await read_whole(client, what)
    reading = read_turn(seen.events)
    result = None
    if not seen.complete or seen.expired:
        # Only a gap asks for more: the result object stands for the frames that are missing.
        result = await client.sessions.result(
            machine.sandbox_id, turn.session, execution_id=execution_id
        )
    return TurnNews(
        turn_pk=turn.pk,
        execution_id=execution_id,
        status=row.status,
        ended=True,
        trace_id=reading.trace_id or row.trace_id,
        last_event_at=row.last_event_at,
        reading=reading,
        frames=seen.events,
        result=result,
        cost_from_list=row,
    )


def by_machine(turns: Iterable[TurnRow]) -> dict[int, list[TurnRow]]:
    """Open turns grouped by the machine they run on."""
    grouped: dict[int, list[TurnRow]] = {}
    for turn in turns:
        grouped.setdefault(turn.machine_pk, []).append(turn)
    return grouped
