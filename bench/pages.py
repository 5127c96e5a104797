"""Pages out of Postgres: first byte, bytes and queries, of a small fleet and of a large one.

The requests to both alternate, so that the ratio is that of one run on one machine.
"""

import time
from dataclasses import dataclass, field

import httpx
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bench import house
from bench.filling import People, fill_fleet
from bench.machine import cpu_s, memory_mb
from bench.tables import percentile, say, show

CHILDREN = 200
ROUNDS = 120
WARM_UP = 10
HEAD = ("page", "p50 ms", "p95 ms", "whole p50 ms", "server CPU ms", "queries", "kB", "to smallest")


@dataclass
class Page:
    """An address and what was measured of it."""

    name: str
    path: str
    first_byte_s: list[float] = field(default_factory=list)
    whole_s: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    size: int = 0


def main(agents: list[int]) -> None:
    """Fill, then ask every page in turn."""
    house.empty()
    people = People.gather()
    say(f"filling {', '.join(f'{count:,}' for count in agents)} agents and {CHILDREN} fleets")
    pages = []
    for count in agents:
        fleet = fill_fleet(people, name=f"bench-{count}", agents=count)
        pages.append(Page(f"fleet, {count:,} agents", f"/fleets/{fleet.public_id}"))
        pages.append(
            Page(f"fleet, {count:,}, table", f"/fleets/{fleet.public_id}?view=table&state=running")
        )
        if count == max(agents):
            for number in range(CHILDREN):
                fill_fleet(people, name=f"shard-{number}", agents=5, parent=fleet)
    pages.append(Page(f"fleets list, {CHILDREN + len(agents)} fleets", "/fleets/"))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    with house.web() as server, httpx.Client(base_url=server.url, cookies=people.cookie) as client:
        ask(client, server, pages)
        memory = memory_mb(server.pid)
    rows = [row_of(page, pages[index % 2], people) for index, page in enumerate(pages)]
    show(
        f"Pages: {ROUNDS} requests each, one at a time, alternating",
        HEAD,
        rows,
        f"Web process: {memory:.0f} MB.",
    )


def ask(client: httpx.Client, server: house.Server, pages: list[Page]) -> None:
    """Ask every page in turn, many times over."""
    for round_number in range(WARM_UP + ROUNDS):
        for page in pages:
            used_s, began = cpu_s(server.pid), time.perf_counter()
            with client.stream("GET", page.path) as answer:
                chunks = answer.iter_raw()
                first = next(chunks)
                first_byte_s = time.perf_counter() - began
                size = len(first) + sum(len(chunk) for chunk in chunks)
                answer.raise_for_status()
            if answer.status_code != 200:
                raise RuntimeError(f"{page.path} answered {answer.status_code}")
            if round_number >= WARM_UP:
                page.first_byte_s.append(first_byte_s)
                page.whole_s.append(time.perf_counter() - began)
                page.cpu_s += cpu_s(server.pid) - used_s
                page.size = size


def row_of(page: Page, smallest: Page, people: People) -> tuple[str, ...]:
    """The figures of a page as a line of the table."""
    p50_s = percentile(page.first_byte_s, 50)
    ratio = p50_s / percentile(smallest.first_byte_s, 50)
    return (
        page.name,
        f"{p50_s * 1000:.0f}",
        f"{percentile(page.first_byte_s, 95) * 1000:.0f}",
        f"{percentile(page.whole_s, 50) * 1000:.0f}",
        f"{page.cpu_s / ROUNDS * 1000:.0f}",
        str(_queries(page, people)),
        f"{page.size / 1000:.0f}",
        f"{ratio:.2f}" if page.path.startswith("/fleets/f") else "–",
    )


def _queries(page: Page, people: People) -> int:
    client = Client()
    client.force_login(people.user, "django.contrib.auth.backends.ModelBackend")
    with CaptureQueriesContext(connection) as queries:
        client.get(page.path)
    return len(queries)
