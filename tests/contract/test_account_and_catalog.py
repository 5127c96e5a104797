"""What the account has, used and may order; sandboxes without a fleet."""

import asyncio
import uuid
from typing import Any

import pytest

from tests.contract.platform import FleetUnderTest, Platform
from tests.contract.raw import ask


def get(platform: Platform, path: str) -> Any:
    reply = asyncio.run(ask(platform, "GET", path))
    assert reply.is_success, reply.text
    return reply.json()


@pytest.mark.from_source
def test_sizes_have_a_default_among_them(platform: Platform) -> None:
    """Contract 2.1: `GET /v1/shapes`."""
    shapes = get(platform, "/v1/shapes")
    assert shapes["default"] in {preset["name"] for preset in shapes["presets"]}
    assert all(preset["memoryMB"] > 0 for preset in shapes["presets"])
    assert shapes["ceiling"]


@pytest.mark.from_source
def test_backends_are_listed_with_what_they_can_do(platform: Platform) -> None:
    """Contract 2.1: `GET /v1/backends`."""
    backends = get(platform, "/v1/backends")["backends"]
    assert "opencode" in {backend["type"] for backend in backends}
    assert all("streaming" in backend["capabilities"] for backend in backends)


@pytest.mark.from_source
def test_usage_and_plan_are_told(platform: Platform) -> None:
    """Contract 2.1."""
    usage = get(platform, "/v1/usage")
    assert usage["success"] is True
    assert usage["data"]["active_sandboxes"] >= 0
    plan = get(platform, "/v1/usage/subscription")["data"]
    assert plan["plan"] in {"free", "pro", "enterprise"}


@pytest.mark.from_source
def test_capabilities_is_no_fleet_id(platform: Platform) -> None:
    """Contract 4.1."""
    assert get(platform, "/v1/fleets/capabilities")["drivers"]


@pytest.mark.from_source
def test_a_fleet_tells_its_machines_time_and_hourly_cost(platform: Platform) -> None:
    """Contract 4.1."""

    async def act(fleet: FleetUnderTest) -> tuple[Any, Any]:
        path = f"/v1/fleets/{fleet.fleet.fleet_id}"
        usage = await ask(platform, "GET", f"{path}/usage")
        cost = await ask(platform, "GET", f"{path}/cost")
        return usage.json()["usage"], cost.json()["estimate"]

    usage, estimate = platform.with_fleet(act, machines=2)
    assert (usage["runningMachines"], usage["failedMachines"]) == (2, 0)
    assert estimate["hourlyUsd"] > 0


@pytest.mark.from_source
def test_a_keyed_create_names_the_same_sandbox_again(platform: Platform) -> None:
    """Contract 1.4, 2.1."""

    async def act() -> None:
        key = uuid.uuid4().hex
        body = {"name": f"contract-{key[:8]}", "idleTimeoutSeconds": 300}
        first, second = [await _create(platform, body, key=key) for _attempt in range(2)]
        try:
            assert first["id"] == second["id"]
            patched = await ask(
                platform,
                "PATCH",
                f"/v1/sandboxes/{first['id']}",
                {"idleTimeoutSeconds": 600},
            )
            assert patched.json()["id"] == first["id"]
        finally:
            gone = await ask(platform, "DELETE", f"/v1/sandboxes/{first['id']}")
        assert gone.is_success
        assert (await ask(platform, "GET", f"/v1/sandboxes/{first['id']}")).status_code == 404

    asyncio.run(act())


async def _create(platform: Platform, body: Any, *, key: str) -> Any:
    reply = await ask(platform, "POST", "/v1/sandboxes", body, headers={"Idempotency-Key": key})
    assert reply.status_code == 201, reply.text
    return reply.json()


@pytest.mark.from_source
def test_a_rotated_key_ends_and_another_goes_on(platform: Platform) -> None:
    """Contract 5."""

    async def act() -> None:
        body = {"name": f"contract {uuid.uuid4().hex[:8]}", "budgetUsd": 0.01}
        made = (await ask(platform, "POST", "/v1/keys", body, base="id")).json()["data"]
        path = f"/v1/keys/{made['id']}/rotate"
        rotated = (await ask(platform, "POST", path, base="id")).json()["data"]
        assert rotated["revokedKeyId"] == made["id"]
        row = (await ask(platform, "GET", f"/v1/keys/{made['id']}", base="id")).json()["data"]
        assert row["revokedAt"]
        assert rotated["newKey"]
        await _revoke_all(platform, name=body["name"])

    asyncio.run(act())


async def _revoke_all(platform: Platform, *, name: object) -> None:
    rows = (await ask(platform, "GET", "/v1/keys?children=true", base="id")).json()["data"]
    for row in rows:
        if row["name"] == name and not row["revokedAt"]:
            await ask(platform, "DELETE", f"/v1/keys/{row['id']}", base="id")
