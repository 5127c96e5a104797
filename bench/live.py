"""Live updates: open pages of one fleet and 200 changes a second, from the write to the browser."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.conf import settings

from bench import house
from bench.filling import People, fill_fleet
from bench.machine import Meter, peak_memory_mb
from bench.tables import percentile, say, show
from fleets.live.channels import fleet_topic
from fleets.live.publish import position, publish
from fleets.live.tokens import STREAM_PATH, Ticket, seal, session_mark
from fleets.models import Agent, Fleet
from fleets.services.row_updates import update_rows

AGENTS = 200
CHANGES_PER_S = 200
STEP_S = 0.05
LASTS_S = 20
SETTLES_S = 3
HEAD = (
    "open pages", "changes/s", "p50 s", "p99 s", "as rows", "hints", "resyncs", "MB/s out",
    "server CPU %", "viewers CPU %", "server MB", "kB a page",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Written:
    """What was changed: the moment of each mark, and how long it all took."""

    at: dict[int, float]
    took_s: float


def main(pages: list[int]) -> None:
    """Each number of open pages in turn, each with a server of its own."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    house.empty()
    people = People.gather()
    fleet = fill_fleet(people, name="bench", agents=AGENTS)
    rows = [_measure(people, fleet, count) for count in pages]
    show(f"Live: one fleet of {AGENTS} agents, {LASTS_S} s", HEAD, rows)


def _measure(people: People, fleet: Fleet, count: int) -> tuple[str, ...]:
    say(f"{count:,} open pages")
    with house.web() as server:
        empty_mb = peak_memory_mb(server.pid)
        with _viewers(server, people, fleet, count) as viewers:
            meter = Meter.start(server=server.pid, viewers=viewers.pid)
            written = _change(fleet)
            time.sleep(SETTLES_S)
            cpu_s = meter.read()
            told = _told(viewers)
        peak_mb = peak_memory_mb(server.pid)
    waits = [seen - written.at[mark] for mark, seen in told["seen"] if mark in written.at]
    readers = min(count, 10)
    return (
        f"{told['opened']:,}",
        f"{len(written.at) / written.took_s:.0f}",
        f"{percentile(waits, 50):.2f}",
        f"{percentile(waits, 99):.2f}",
        f"{len(waits) / readers / len(written.at):.0%}",
        f"{told['hints'] / readers:.0f}",
        f"{told['resyncs'] / readers:.0f}",
        f"{told['received'] / written.took_s / 1e6:.1f}",
        f"{cpu_s['server'] / written.took_s:.0%}",
        f"{cpu_s['viewers'] / written.took_s:.0%}",
        f"{peak_mb:.0f}",
        f"{(peak_mb - empty_mb) * 1000 / count:.0f}",
    )


def _change(fleet: Fleet) -> Written:
    """Write and publish at an even pace: every agent in turn, its last line with a mark in it."""
    agents = list(Agent.objects.filter(fleet=fleet))
    at: dict[int, float] = {}
    began = time.time()
    many = round(CHANGES_PER_S * STEP_S)
    for step in range(round(LASTS_S / STEP_S)):
        chosen = [agents[(step * many + number) % len(agents)] for number in range(many)]
        for number, agent in enumerate(chosen):
            agent.last_event = f"mark-{step * many + number}-"
        update_rows(chosen, ["last_event"])
        for number, agent in enumerate(chosen):
            publish(fleet_topic(fleet.public_id), {"kind": "agents", "ids": [agent.pk]})
            at[step * many + number] = time.time()
        time.sleep(max(0.0, began + (step + 1) * STEP_S - time.time()))
    return Written(at, time.time() - began)


@contextmanager
def _viewers(
    server: house.Server, people: People, fleet: Fleet, count: int
) -> "Iterator[subprocess.Popen[str]]":
    name, key = next(iter(people.cookie.items()))
    ticket = Ticket(
        page="fleet_detail",
        topics=(fleet_topic(fleet.public_id),),
        user_id=people.user.pk,
        rights_number=people.user.rights_number,
        session=session_mark(key),
    )
    query = f"since={quote(position())}&ticket={quote(seal(ticket))}"
    order = {
        "port": server.url.rpartition(":")[2],
        "path": f"{STREAM_PATH}?{query}",
        "cookie": f"{settings.SESSION_COOKIE_NAME}={key}",
        "count": str(count),
    }
    assert name == settings.SESSION_COOKIE_NAME
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.viewers"],
        cwd=house.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        _say_to(process, json.dumps(order))
        assert process.stdout
        process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()


def _told(process: "subprocess.Popen[str]") -> dict[str, Any]:
    _say_to(process, "enough")
    assert process.stdout
    found: dict[str, Any] = json.loads(process.stdout.read())
    return found


def _say_to(process: "subprocess.Popen[str]", line: str) -> None:
    assert process.stdin
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
