"""The rate budget against a real Valkey: what is granted, to whom first, and never too much."""

import asyncio
import math
import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis as SyncRedis
from redis.asyncio import Redis

from fleets import rate_budget
from fleets.rate_budget import CALLS_AT_ONCE, Priority, RateBudget

T = TypeVar("T")
START_MS = 1_800_000_000_000
# How Redis calls these connections: others, of other tests' processes, are at the same server.
CLIENT = f"test-budget-{os.getpid()}"


@dataclass
class Clock:
    """Virtual milliseconds: sleeping moves them, so a minute costs nothing."""

    now_ms: int = START_MS
    slept: list[float] = field(default_factory=list)

    def read(self) -> int:
        return self.now_ms

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_ms += max(1, math.ceil(seconds * 1000))
        await asyncio.sleep(0)


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """A Redis that answers late on a busy machine is there all the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rate_budget, "ANSWER_S", 60.0)
        yield


def with_budget(
    act: Callable[[RateBudget, Clock, Redis], Awaitable[T]], *, per_minute: int = 60
) -> T:
    async def go() -> T:
        clock = Clock()
        async with Redis.from_url(os.environ["REDIS_URL"], client_name=CLIENT) as redis:
            budget = RateBudget(
                redis,
                connection="test",
                per_minute=per_minute,
                sleep=clock.sleep,
                now_ms=clock.read,
            )
            return await act(budget, clock, redis)

    return asyncio.run(go())


async def fill(budget: RateBudget, clock: Clock) -> None:
    await budget.look()
    clock.now_ms += 60_000


def test_a_bucket_that_does_not_exist_starts_empty(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> None:
        assert (await budget.look()).tokens == 0
        await budget.acquire(Priority.STOP)
        assert clock.now_ms - START_MS >= 1000 / budget.refill_per_s

    with_budget(act)


def test_a_full_bucket_grants_its_burst_less_the_reserve_at_once(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> None:
        await fill(budget, clock)
        for _ in range(budget.burst - budget.reserve):
            await budget.acquire(Priority.READ)
        assert clock.slept == []
        await budget.acquire(Priority.READ)
        assert clock.slept != []

    with_budget(act, per_minute=1000)


def test_the_reserve_is_for_stopping_only(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> None:
        await fill(budget, clock)
        for _ in range(budget.burst - budget.reserve):
            await budget.acquire(Priority.DISPATCH)
        for _ in range(budget.reserve):
            await budget.acquire(Priority.STOP)
        assert clock.slept == []

    with_budget(act, per_minute=300)


def test_waiting_requests_are_served_by_priority(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> list[Priority]:
        places = {f"{int(priority)}{number}": priority for number in "ab" for priority in Priority}
        served: list[Priority] = []
        while places:
            for place, priority in list(places.items()):
                if await budget._try(priority, place) == 0:
                    served.append(priority)
                    del places[place]
            clock.now_ms += 300
        return served

    # The least urgent asks first each time, and still every token goes to the most urgent.
    assert with_budget(act) == sorted(2 * [*Priority], reverse=True)


def test_a_later_request_of_the_same_priority_does_not_overtake(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> None:
        early = f"{int(Priority.READ)}early"
        assert await budget._try(Priority.READ, early) > 0
        clock.now_ms += 2_000  # its place is kept; enough tokens for one, not for two
        budget.reserve = 0
        assert await budget._try(Priority.READ, f"{int(Priority.READ)}late") > 0
        assert await budget._try(Priority.READ, early) == 0

    with_budget(act)


def test_a_place_in_line_that_is_not_polled_any_more_lapses(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> None:
        assert await budget._try(Priority.STOP, f"{int(Priority.STOP)}gone") > 0
        assert (await budget.look()).waiting[Priority.STOP] == 1
        clock.now_ms += 5_000
        assert (await budget.look()).waiting[Priority.STOP] == 0

    with_budget(act)


def test_a_429_empties_the_bucket_for_as_long_as_it_says(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> None:
        await fill(budget, clock)
        await budget.drain(7.5)
        before = clock.now_ms
        await budget.acquire(Priority.STOP)
        assert 7_500 <= clock.now_ms - before <= 7_500 + 2 * 1000 / budget.refill_per_s

    with_budget(act)


def test_a_shorter_429_does_not_shorten_a_longer_one(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> None:
        await budget.drain(30)
        await budget.drain(1)
        assert (await budget.look()).blocked_s == 30

    with_budget(act)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(list(Priority))),
        st.tuples(st.just("pass"), st.integers(1, 20_000)),
        st.tuples(st.just("wipe"), st.none()),
    ),
    min_size=1,
    max_size=120,
)


@given(steps=STEPS, per_minute=st.sampled_from([20, 60, 300]))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_minute_sees_more_than_the_plan_even_across_wipes(
    redis_client: SyncRedis, steps: list[tuple[str, Priority | int | None]], per_minute: int
) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> list[int]:
        await redis.flushdb()
        granted: list[int] = []
        for number, (step, fact) in enumerate(steps):
            if step == "wipe":
                await redis.flushdb()
            elif step == "pass":
                assert isinstance(fact, int)
                clock.now_ms += fact
            else:
                assert isinstance(fact, Priority)
                asked = [await budget._try(fact, f"{int(fact)}{number}.{n}") for n in range(10)]
                granted += [clock.now_ms for wait_ms in asked if wait_ms == 0]
        return granted

    granted = with_budget(act, per_minute=per_minute)
    for moment in granted:
        assert sum(moment <= other < moment + 60_000 for other in granted) <= per_minute


@pytest.mark.parametrize("wiped_every_s", [1, 7, 60])
def test_wiping_redis_again_and_again_never_buys_more_requests(
    redis_client: SyncRedis, wiped_every_s: int
) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> list[int]:
        granted: list[int] = []
        await fill(budget, clock)
        for second in range(130):
            if second % wiped_every_s == wiped_every_s - 1:
                await redis.flushdb()
            while await budget._try(Priority.STOP, f"{int(Priority.STOP)}one") == 0:
                granted.append(clock.now_ms)
            clock.now_ms += 1_000
        return granted

    granted = with_budget(act, per_minute=300)
    seen = [sum(start <= other < start + 60_000 for other in granted) for start in granted]
    assert max(seen, default=0) <= 300


def test_processes_share_one_bucket_by_redis_own_clock(redis_client: SyncRedis) -> None:
    async def go() -> int:
        async def spend(until: float) -> int:
            async with Redis.from_url(os.environ["REDIS_URL"]) as redis:
                budget = RateBudget(redis, connection="shared", per_minute=6_000)
                granted = 0
                while asyncio.get_running_loop().time() < until:
                    try:
                        async with asyncio.timeout_at(until):
                            await budget.acquire(Priority.STOP)
                    except TimeoutError:
                        break
                    granted += 1
                return granted

        started = asyncio.get_running_loop().time()
        granted = sum(await asyncio.gather(*(spend(started + 1.0) for _ in range(8))))
        assert granted <= 85 * (asyncio.get_running_loop().time() - started) + 1
        return granted

    # 85 a second from an empty bucket, however many ask.
    assert asyncio.run(go()) > 0


def test_without_redis_reads_wait_and_stopping_goes_out_after_a_short_while() -> None:
    async def go() -> tuple[int, bool]:
        clock = Clock()
        async with Redis.from_url("redis://127.0.0.1:1/0") as redis:
            budget = RateBudget(redis, connection="x", per_minute=60, sleep=clock.sleep)
            await budget.acquire(Priority.STOP)
            stopped_after = len(clock.slept)
            reading = asyncio.create_task(budget.acquire(Priority.READ))
            while len(clock.slept) < stopped_after + 5:
                await asyncio.sleep(0.01)
            let_through = reading.done()
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            return stopped_after, let_through

    assert asyncio.run(go()) == (2, False)


def test_a_plan_too_small_to_meter_is_refused() -> None:
    with pytest.raises(ValueError, match="plan"):
        RateBudget(Redis(), connection="x", per_minute=5)


def test_hundreds_of_requests_at_once_share_a_few_connections(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> int:
        await fill(budget, clock)
        await asyncio.gather(*(budget.acquire(Priority.DISPATCH) for _ in range(400)))
        assert clock.slept == []
        return sum(client["name"] == CLIENT for client in await redis.client_list())

    assert 1 <= with_budget(act, per_minute=60_000) <= CALLS_AT_ONCE + 1


def test_requests_that_ask_together_spend_a_token_each(redis_client: SyncRedis) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> float:
        await fill(budget, clock)
        tokens = (await budget.look()).tokens
        await asyncio.gather(*(budget.acquire(Priority.DISPATCH) for _ in range(400)))
        return tokens - (await budget.look()).tokens

    assert with_budget(act, per_minute=60_000) == 400


def test_a_question_that_is_cancelled_before_it_begins_harms_no_later_one(
    redis_client: SyncRedis,
) -> None:
    async def act(budget: RateBudget, clock: Clock, redis: Redis) -> None:
        await fill(budget, clock)
        asking = asyncio.create_task(budget.acquire(Priority.READ))
        await asyncio.sleep(0)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await budget.acquire(Priority.READ)

    with_budget(act)
