"""The health page and the metrics: who reads them, and what they say when something is away."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from redis import Redis

from fleets import pulse
from fleets.domain.status import FleetState
from fleets.selectors.health import house_health
from tests.factories import ConnectionFactory, FleetFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

READERS = {"admin": 200, "operator": 200, "viewer": 200, "stranger": 404}


@pytest.fixture(autouse=True)
def empty_pulse(redis_client: Redis) -> Iterator[None]:
    """Nothing was said or counted before, in Redis or in this process."""
    forget()
    yield
    forget()


def forget() -> None:
    pulse._signed.clear()
    pulse._book.take()
    pulse._book.flushed_at = pulse._book.rests_until = 0.0


def part(name: str) -> tuple[str, str]:
    house = house_health(now=timezone.now())
    found = next(one for one in house.parts if one.name.startswith(name))
    return found.condition.value, found.detail


def call(**changes: object) -> pulse.Call:
    words = {"connection": "1", "operation": "fleets.get", "outcome": "ok", "duration_s": 0.04}
    return pulse.Call(**{**words, **changes})  # type: ignore[arg-type]


def test_any_role_reads_the_health_page() -> None:
    Cast.gather().expect(reverse("fleets:health"), "GET", READERS)


def test_the_page_names_every_part_and_refreshes_itself() -> None:
    ConnectionFactory(name="research")
    client = Cast.gather().client("viewer")

    page = client.get(reverse("fleets:health")).content.decode()
    fragment = client.get(
        reverse("fleets:health"), headers={"HX-Request": "true", "HX-Target": "div#health"}
    ).content.decode()

    for name in ("Database", "Redis", "Queue", "Workers", "Scheduler", "Follower", "Live updates"):
        assert name in page
    assert "Platform, research" in page
    assert 'hx-trigger="every 10s"' in fragment
    assert "<html" not in fragment


def test_what_was_never_heard_of_is_down_and_named() -> None:
    house = house_health(now=timezone.now())

    assert house.condition == "down"
    assert house.sentence == "Down: Workers, Scheduler."


def test_processes_that_speak_are_counted() -> None:
    pulse.sign("worker", "drive@host", places=2, busy=1, queues=["drive"])
    pulse.sign("beat", "host")
    pulse.sign("follow", "host:1")
    pulse.sign("web", "host:2", streams=41, lag_s=0.2)

    assert part("Workers") == ("ok", "1 alive, 1 of 2 places busy")
    assert part("Scheduler")[0] == "ok"
    assert part("Follower") == ("ok", "1 alive")
    assert part("Live updates") == ("ok", "41 open pages, lag 0.2 s")
    assert house_health(now=timezone.now()).sentence == "Everything works."


def test_calls_to_the_platform_show_latency_trouble_and_pace() -> None:
    account = ConnectionFactory(name="research", rate_per_minute=1000)
    for _ in range(19):
        pulse.count_call(call(connection=str(account.pk)))
    pulse.count_call(
        call(connection=str(account.pk), outcome="RateLimited", duration_s=0.3, words="slow down")
    )
    pulse.flush()

    house = house_health(now=timezone.now())
    shown = next(one for one in house.parts if one.name == "Platform, research")

    assert shown.condition == "slow"
    assert shown.latency_s == 0.05
    assert shown.detail.startswith("20 calls in 5 min; 429 1 times; rate budget 0 of 100")
    assert shown.detail.endswith("last trouble: slow down")


def test_fleets_that_were_not_read_for_a_minute_are_stale() -> None:
    now = timezone.now()
    old = now - timedelta(seconds=61)
    FleetFactory(created_on_platform_at=old, platform_seen_at=now)
    FleetFactory(created_on_platform_at=old, platform_seen_at=old)
    FleetFactory(created_on_platform_at=old, platform_seen_at=old, state=FleetState.FINISHED)

    assert part("Fleets watched") == ("slow", "2 live, 1 not read for over a minute")


def test_without_redis_the_page_still_opens_and_says_so(settings: object) -> None:
    pulse.connection.cache_clear()
    settings.REDIS_URL = "redis://127.0.0.1:1/0"  # type: ignore[attr-defined]
    try:
        house = house_health(now=timezone.now())
    finally:
        pulse.connection.cache_clear()

    assert house.sentence == "Down: Redis."
    assert [one.name for one in house.parts] == ["Database", "Redis", "Fleets watched"]


def test_metrics_are_for_admins_and_the_token_only(settings: object) -> None:
    url = reverse("fleets:metrics")
    everybody = {"admin": 200, "operator": 403, "viewer": 403, "stranger": 404, "nobody": 401}
    Cast.gather().expect(url, "GET", everybody)

    settings.METRICS_TOKEN = "scraper-0123456789"  # type: ignore[attr-defined]
    scraper = Client()
    right = scraper.get(url, headers={"Authorization": "Bearer scraper-0123456789"})
    wrong = scraper.get(url, headers={"Authorization": "Bearer scraper-012345678"})
    assert (right.status_code, wrong.status_code) == (200, 401)


def test_an_empty_token_opens_nothing(settings: object) -> None:
    settings.METRICS_TOKEN = ""  # type: ignore[attr-defined]
    answer = Client().get(reverse("fleets:metrics"), headers={"Authorization": "Bearer "})
    assert answer.status_code == 401


def test_metrics_count_fleets_requests_and_ticks() -> None:
    FleetFactory(state=FleetState.RUNNING)
    pulse.sign("web", "host:2", streams=7, lag_s=0.2)
    pulse.count_call(call())
    pulse.count_call(call(outcome="NotFound"))
    pulse.observe("tick", 0.2)
    pulse.observe("tick", 40.0)
    pulse.flush()

    lines = Cast.gather().client("admin").get(reverse("fleets:metrics")).content.decode()

    for line in (
        'fleetdash_fleets{state="running"} 1.0',
        'fleetdash_fleets{state="failed"} 0.0',
        'fleetdash_queue_depth{queue="drive"} 0.0',
        "fleetdash_open_streams 7.0",
        'fleetdash_platform_requests_total{operation="fleets.get",outcome="ok"} 1.0',
        'fleetdash_platform_requests_total{operation="fleets.get",outcome="NotFound"} 1.0',
        'fleetdash_tick_seconds_bucket{le="0.25"} 1.0',
        'fleetdash_tick_seconds_bucket{le="+Inf"} 2.0',
        "fleetdash_tick_seconds_sum 40.2",
        "fleetdash_redis_up 1.0",
    ):
        assert line in lines.splitlines(), line
