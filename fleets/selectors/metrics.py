"""Figures for scrapers, in the text format of Prometheus: read when asked, nothing kept here."""

from collections.abc import Iterator, Mapping
from typing import Final

from django.db.models import Count, QuerySet
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from fleets import pulse
from fleets.domain.health import SILENT_S
from fleets.domain.status import FleetState, TaskState
from fleets.models import Fleet, Task
from fleets.selectors.health import QUEUES

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_HISTOGRAMS: Final = {
    "tick": "Seconds of one tick of a run.",
    "operation": "Seconds of one piece of work on an operation.",
}


def metrics_text() -> bytes:
    """All metrics. Those of Redis are missing, and `fleetdash_redis_up` is 0, while it is away."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_House())
    return generate_latest(registry)


class _House:
    """Reads everything at the moment of the scrape."""

    def collect(self) -> Iterator[Metric]:
        yield _by_state("fleetdash_fleets", "Fleets by state.", Fleet.objects.all(), FleetState)
        yield _by_state("fleetdash_tasks", "Tasks by state.", Task.objects.all(), TaskState)
        try:
            told = [*_of_redis()]
        except pulse.Away:
            yield GaugeMetricFamily("fleetdash_redis_up", "Whether Redis answers.", value=0)
            return
        yield GaugeMetricFamily("fleetdash_redis_up", "Whether Redis answers.", value=1)
        yield from told


def _of_redis() -> Iterator[Metric]:
    depth = GaugeMetricFamily(
        "fleetdash_queue_depth", "Messages that wait in a queue.", labels=["queue"]
    )
    for queue, count in pulse.queue_depths(QUEUES).items():
        depth.add_metric([queue], count)
    yield depth
    signs = [one for one in pulse.signs() if one.age_s <= SILENT_S]
    streams = sum(int(one.facts["streams"]) for one in signs if one.kind == "web")
    yield GaugeMetricFamily("fleetdash_open_streams", "Open live pages.", value=streams)
    alive = GaugeMetricFamily(
        "fleetdash_processes", "Processes heard of lately, by kind.", labels=["kind"]
    )
    for kind in ("worker", "beat", "follow", "web"):
        alive.add_metric([kind], sum(one.kind == kind for one in signs))
    yield alive
    totals = pulse.totals()
    yield _requests(totals)
    for name, words in _HISTOGRAMS.items():
        yield _histogram(name, words, totals)


def _by_state(
    name: str,
    words: str,
    rows: "QuerySet[Fleet] | QuerySet[Task]",
    states: type[FleetState] | type[TaskState],
) -> Metric:
    counted = dict(rows.order_by().values_list("state").annotate(n=Count("pk")))
    family = GaugeMetricFamily(name, words, labels=["state"])
    for state in states:
        family.add_metric([state.value], counted.get(state.value, 0))
    return family


def _requests(totals: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(
        "fleetdash_platform_requests",
        "Calls to the platform, by operation and outcome (ok, or the error).",
        labels=["operation", "outcome"],
    )
    for key, count in sorted(totals.items()):
        kind, *labels = key.split("|")
        if kind == "call":
            family.add_metric(labels, count)
    return family


def _histogram(name: str, words: str, totals: Mapping[str, int]) -> Metric:
    buckets: list[tuple[str, float]] = []
    seen = 0
    for number, bound in enumerate([*map(str, pulse.BOUNDS_S), "+Inf"]):
        seen += totals.get(f"seconds|{name}|{number}", 0)
        buckets.append((bound, seen))
    family = HistogramMetricFamily(f"fleetdash_{name}_seconds", words)
    family.add_metric([], buckets=buckets, sum_value=totals.get(f"micros|{name}", 0) / 1e6)
    return family
