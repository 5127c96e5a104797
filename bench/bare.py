"""The script that one would write without the product: asyncio and the client, nothing stored.

It keeps the platform's rules that the product keeps: a machine gets one turn until that one has
reached a model, and sessions are read as one list per machine.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from fleets.domain import ids
from fleets.domain.driving import FAST_READ_S, UNSETTLED_READ_S
from fleets.domain.placement import AgentSpec, Auto, plan_machines
from fleets.domain.prices import MACHINE_SIZES
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformUnavailable
from fleets.platform_api.reading import TurnFold
from fleets.platform_api.secret import Secret
from fleets.platform_api.sse import StreamEvent
from fleets.platform_api.transport import Transport
from fleets.platform_api.types import BaseUrls, MachineRow, SessionRow
from fleets.services.driving import round_reading, whole_reading

HARNESS, MODEL = "opencode", "gpt-4.1-mini"


@dataclass
class Work:
    """One machine's agents and how far each is."""

    machine_id: str
    waiting: list[str]
    sandbox_id: str = ""
    open: dict[str, str] = field(default_factory=dict)
    is_warm: bool = False
    answers: dict[str, str] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        return not self.waiting and not self.open


async def run_bare(url: str, *, agents: int, size: str, prompt: str) -> float:
    """Create a fleet, let every agent do one turn, read every end; the seconds it took."""
    transport = Transport()
    urls = BaseUrls(sandbox=f"{url}/sandbox", id=f"{url}/id", router=f"{url}/router/v1")
    client = PlatformClient(urls, Secret("sk-tan-emulator-account"), transport=transport)
    began = time.monotonic()
    try:
        await _Script(client, agents, size, prompt).run()
    finally:
        await transport.aclose()
    return time.monotonic() - began


class _Script:
    def __init__(self, client: PlatformClient, agents: int, size: str, prompt: str) -> None:
        self._client, self._prompt, self._size = client, prompt, MACHINE_SIZES[size]
        plan = plan_machines(
            [AgentSpec(agent_id, HARNESS) for agent_id in ids.agent_ids(agents)],
            size=self._size,
            placement=Auto(),
        )
        self._fleet_id = ids.new_fleet_id(b"bare--")
        self._work = [Work(one.machine_id, list(one.agent_ids)) for one in plan.machines]
        self._settled = False

    async def run(self) -> None:
        row = await self._client.fleets.create(
            self._fleet_id,
            machines=[{"machineId": work.machine_id} for work in self._work],
            defaults={
                "environment": "universal",
                "resources": {
                    "cpuCores": self._size.vcpus,
                    "memoryMB": self._size.memory_mib,
                    "diskGB": self._size.disk_gib,
                },
                "maxLifetimeSeconds": 3600,
                "backend": {"type": HARNESS, "model": {"model": MODEL}},
            },
            policy={"maxMachines": len(self._work), "maxConcurrentCreates": 8},
            max_concurrent_creates=8,
            idempotency_key=f"bare-{self._fleet_id}",
        )
        self._take(row.machines)
        looked_at = time.monotonic()
        while not all(work.is_done for work in self._work):
            await self._begin()
            await asyncio.sleep(FAST_READ_S)
            if not self._settled and time.monotonic() - looked_at >= UNSETTLED_READ_S:
                self._take((await self._client.fleets.get(self._fleet_id)).machines)
                looked_at = time.monotonic()
            await asyncio.gather(*(self._read(work) for work in self._work if work.open))

    def _take(self, rows: Sequence[MachineRow]) -> None:
        running = {row.machine_id: row.sandbox_id for row in rows if row.status == "running"}
        for work in self._work:
            work.sandbox_id = running.get(work.machine_id) or ""
        self._settled = all(work.sandbox_id for work in self._work)

    async def _begin(self) -> None:
        sends = []
        for work in self._work:
            if not work.sandbox_id or (work.open and not work.is_warm):
                continue
            many = len(work.waiting) if work.is_warm else 1
            chosen, work.waiting = work.waiting[:many], work.waiting[many:]
            sends += [self._send(work, agent_id) for agent_id in chosen]
        await asyncio.gather(*sends)

    async def _send(self, work: Work, agent_id: str) -> None:
        try:
            receipt = await self._client.sessions.dispatch(
                work.sandbox_id,
                session_id=ids.session_id(self._fleet_id, agent_id),
                turn_id=ids.turn_id(1, 1),
                prompt=self._prompt,
                backend={"type": HARNESS, "model": {"model": MODEL}},
                timeout_ms=600_000,
            )
        except PlatformUnavailable:
            # The same turn again in the next round: the platform admits it once.
            work.waiting.append(agent_id)
            return
        work.open[ids.session_id(self._fleet_id, agent_id)] = receipt.execution_id or ""

    async def _read(self, work: Work) -> None:
        with suppress(PlatformUnavailable):
            await self._read_sessions(work)

    async def _read_sessions(self, work: Work) -> None:
        page = await self._client.sessions.list(work.sandbox_id)
        rows = [row for row in page.sessions if row.session_id in work.open]
        await asyncio.gather(*(self._look(work, row) for row in rows))

    async def _look(self, work: Work, row: SessionRow) -> None:
        ended = row.status in round_reading.ENDED_WORDS and row.active_execution_id is None
        if not ended and work.is_warm:
            return
        fold = TurnFold()

        def is_enough(event: StreamEvent) -> bool:
            fold.add(event)
            return fold.warm and not ended

        await self._client.sessions.read_events(
            work.sandbox_id,
            row.session_id,
            execution_id=work.open[row.session_id],
            stop_when=is_enough,
            idle_s=whole_reading.IDLE_S if ended else round_reading.PEEK_IDLE_S,
            max_s=whole_reading.MAX_S if ended else round_reading.PEEK_MAX_S,
        )
        told = fold.reading()
        work.is_warm = work.is_warm or ended or told.warm
        if ended:
            work.answers[row.session_id] = told.final_text or told.text
            del work.open[row.session_id]
