"""When a part of the house is well, slow, silent or down."""

import pytest

from fleets.domain.health import (
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

WELL = PlatformFacts(
    name="research",
    latency_s=0.1,
    ok_age_s=1.0,
    error_age_s=None,
    error="",
    calls=100,
    troubles=0,
    limited=0,
    blocked_s=0.0,
    tokens=80.0,
    burst=100,
    waiting=0,
)


def facts(**changes: object) -> PlatformFacts:
    return PlatformFacts(**{**{n: getattr(WELL, n) for n in WELL.__slots__}, **changes})


def test_the_worst_part_gives_the_word_and_is_named() -> None:
    parts = [
        Part("Database", Condition.OK, ""),
        Part("Queue", Condition.SLOW, ""),
        Part("Workers", Condition.DOWN, ""),
    ]
    assert overall(parts[:1]) == (Condition.OK, "Everything works.")
    assert overall(parts[:2]) == (Condition.SLOW, "Slow: Queue.")
    assert overall(parts) == (Condition.DOWN, "Down: Workers.")


def test_no_part_at_all_is_not_well() -> None:
    assert overall([])[0] is Condition.UNKNOWN


def test_never_heard_of_is_not_the_same_as_silent() -> None:
    assert by_age(None) is Condition.UNKNOWN
    assert by_age(20.0) is Condition.OK
    assert by_age(20.1) is Condition.DOWN


@pytest.mark.parametrize(
    ("buckets", "expected"),
    [([0, 0, 0], None), ([95, 5, 0], 0.1), ([94, 6, 0], 1.0), ([0, 0, 3], 1.0)],
)
def test_a_percentile_is_the_bound_of_the_bucket_that_reaches_it(
    buckets: list[int], expected: float | None
) -> None:
    assert percentile_s(buckets, [0.1, 1.0], percent=95) == expected


def test_workers_that_fell_silent_do_not_count_as_places() -> None:
    part = workers_part([Worker("a", 1.0, places=2, busy=1), Worker("b", 90.0, places=4, busy=4)])
    assert part.condition is Condition.OK
    assert part.detail == "1 alive, 1 of 2 places busy; 1 fell silent within the last hour"


def test_no_living_worker_is_down() -> None:
    assert workers_part([]).condition is Condition.DOWN
    assert workers_part([Worker("a", 60.0, places=2, busy=0)]).heard_s == 60.0


def test_work_that_is_long_overdue_makes_the_queue_slow() -> None:
    assert queue_part({"drive": 3}, oldest_s=None).condition is Condition.OK
    assert queue_part({"drive": 3}, oldest_s=14.0).condition is Condition.OK
    late = queue_part({"drive": 1_400}, oldest_s=75.0)
    assert (late.condition, late.detail) == (
        Condition.SLOW,
        "drive 1,400; oldest work due for 1 m 15 s",
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Condition.OK),
        ({"ok_age_s": None}, Condition.UNKNOWN),
        ({"latency_s": 2.5}, Condition.SLOW),
        ({"limited": 1}, Condition.SLOW),
        ({"blocked_s": 3.0}, Condition.SLOW),
        ({"troubles": 11}, Condition.SLOW),
        ({"error_age_s": 2.0, "ok_age_s": 10.0}, Condition.OK),
        ({"error_age_s": 2.0, "ok_age_s": 40.0}, Condition.DOWN),
        ({"error_age_s": 50.0, "ok_age_s": 40.0}, Condition.OK),
        ({"error_age_s": 2.0, "ok_age_s": None}, Condition.DOWN),
    ],
)
def test_the_platform_is_judged_by_its_last_answers(
    changes: dict[str, object], expected: Condition
) -> None:
    assert platform_part(facts(**changes)).condition is expected


def test_the_platforms_line_says_pace_and_last_trouble() -> None:
    part = platform_part(
        facts(limited=2, blocked_s=8.0, waiting=5, error="the gateway did not answer")
    )
    assert part.detail == (
        "100 calls in 5 min; 429 2 times; backing off 8 s; rate budget 80 of 100, 5 waiting; "
        "last trouble: the gateway did not answer"
    )
