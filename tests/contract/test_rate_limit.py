"""429: what it carries and what the client makes of it (contract 1.3, 9, 10 row 22)."""

import asyncio

import pytest

from fleets.platform_api.errors import QuotaExceeded, RateLimited
from fleets.platform_api.retry import RetryPolicy
from fleets.platform_api.sandbox_spec import SandboxSpec
from fleets.platform_api.transport import CallRecord
from tests.contract.platform import Platform


@pytest.mark.emulator_only
def test_beyond_the_plan_calls_are_refused_with_a_time_to_wait(platform: Platform) -> None:
    """Contract 10 row 22: a sliding minute for the whole account."""
    platform.control("POST", "dials", {"rate_per_minute": 20})

    async def go() -> RateLimited:
        async with platform.client() as client:
            for _ in range(20):
                await client.fleets.list()
            with pytest.raises(RateLimited) as caught:
                await client.fleets.list()
            return caught.value

    error = asyncio.run(go())
    assert (error.status, error.code) == (429, "QUOTA_EXCEEDED")
    assert error.retry_after_s is not None
    assert 1 <= error.retry_after_s <= 60
    assert not error.outcome_unknown


@pytest.mark.emulator_only
def test_a_short_wait_is_kept_by_the_client_and_told(platform: Platform) -> None:
    platform.fault("fleets.list", "rate_limit", retryAfter=1, count=1)
    records: list[CallRecord] = []

    async def go() -> float:
        async with platform.client(retry=RetryPolicy(), on_call=records.append) as client:
            started = asyncio.get_running_loop().time()
            await client.fleets.list()
            return asyncio.get_running_loop().time() - started

    assert asyncio.run(go()) >= 1
    assert [record.status for record in records] == [429, 200]
    assert isinstance(records[0].error, RateLimited)


@pytest.mark.emulator_only
def test_a_long_wait_is_handed_up_at_once(platform: Platform) -> None:
    platform.fault("fleets.list", "rate_limit", retryAfter=50, count=1)

    async def go() -> float | None:
        async with platform.client(retry=RetryPolicy()) as client:
            with pytest.raises(RateLimited) as caught:
                await client.fleets.list()
            return caught.value.retry_after_s

    assert asyncio.run(go()) == 50


@pytest.mark.emulator_only
@pytest.mark.covers("sandboxes.create")
@pytest.mark.parametrize("status", [403, 429])
def test_a_ceiling_of_the_plan_is_a_quota_and_no_reason_to_wait(
    platform: Platform, status: int
) -> None:
    """Contract 9: 403 or 429 with `quotaType`, `current`, `limit`."""
    platform.control("POST", "dials", {"max_concurrent_sandboxes": 1, "quota_status": status})

    async def go() -> QuotaExceeded:
        async with platform.client(retry=RetryPolicy()) as client:
            await client.sandboxes.create(SandboxSpec(name=platform.new_name()))
            with pytest.raises(QuotaExceeded) as caught:
                await client.sandboxes.create(SandboxSpec(name=platform.new_name()))
            return caught.value

    error = asyncio.run(go())
    assert error.status == status
    assert (error.details.used, error.details.limit) == ("1", "1")
    assert len(platform.arrivals("sandboxes.create")) == 2
