"""What the account used and may order (contract 2.1)."""

import pytest

from fleets.platform_api.answers.account import AccountUsage, Subscription
from fleets.platform_api.answers.backends import Backend
from fleets.platform_api.answers.shapes import Shapes
from fleets.platform_api.client import PlatformClient
from tests.contract.platform import Platform


@pytest.mark.from_source
@pytest.mark.covers("catalog.shapes")
def test_sizes_have_a_default_among_them(platform: Platform) -> None:
    """Contract 2.1: `GET /v1/shapes`."""

    async def act(client: PlatformClient) -> Shapes:
        return await client.catalog.shapes()

    shapes = platform.run(act)
    assert shapes.default in {preset.name for preset in shapes.presets}
    assert all((preset.memory_mb or 0) > 0 for preset in shapes.presets)
    assert shapes.ceiling is not None


@pytest.mark.from_source
@pytest.mark.covers("catalog.backends")
def test_backends_are_listed_with_what_they_can_do(platform: Platform) -> None:
    """Contract 2.1, 8: `GET /v1/backends`."""

    async def act(client: PlatformClient) -> tuple[Backend, ...]:
        return await client.catalog.backends()

    backends = platform.run(act)
    assert {"opencode", "codex", "claude-code"} <= {backend.type for backend in backends}
    assert all(backend.can("streaming") is not None for backend in backends)


@pytest.mark.from_source
@pytest.mark.covers("account.usage")
def test_the_accounts_use_is_told(platform: Platform) -> None:
    """Contract 2.1: the documented view or the newer one."""

    async def act(client: PlatformClient) -> AccountUsage:
        return await client.account.usage()

    used = platform.run(act)
    assert used.active_sandboxes is not None
    assert used.active_sandboxes >= 0
    assert used.period or used.period_start


@pytest.mark.from_source
@pytest.mark.covers("account.subscription")
def test_the_plan_is_told_or_there_is_none(platform: Platform) -> None:
    """Contract 2.1: 404 when none, which is no error."""

    async def act(client: PlatformClient) -> Subscription | None:
        return await client.account.subscription()

    plan = platform.run(act)
    assert plan is None or plan.plan in {"free", "pro", "enterprise"}
    assert plan is None or plan.max_sandboxes is None or plan.max_sandboxes >= 0
