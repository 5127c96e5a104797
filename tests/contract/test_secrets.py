"""Secrets that the account keeps on the platform (contract 2.1)."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable

import pytest

from fleets.platform_api.answers.secrets import SecretName
from fleets.platform_api.sandbox_spec import SandboxSpec
from tests.contract.machines import MachineUnderTest
from tests.contract.platform import Platform
from tests.contract.raw import ask


def with_secret(platform: Platform, value: str, act: Callable[[str], Awaitable[None]]) -> None:
    """`act` while a secret of this run is there."""

    async def go() -> None:
        name = f"{platform.variable_prefix}_{uuid.uuid4().hex[:8].upper()}"
        made = await ask(platform, "POST", "/v1/secrets", {"name": name, "value": value})
        assert made.is_success, made.text
        try:
            await act(name)
        finally:
            await ask(platform, "DELETE", f"/v1/secrets/{name}")

    asyncio.run(go())


async def names(platform: Platform) -> tuple[SecretName, ...]:
    async with platform.client() as client:
        return await client.secrets.list()


@pytest.mark.from_source
@pytest.mark.covers("secrets.create", "secrets.list", "secrets.read")
def test_a_secret_is_listed_by_name_and_read_by_itself(platform: Platform) -> None:
    """Contract 2.1: `{secrets:[{name, createdAt, updatedAt}]}`; one is `{value}`."""

    async def act(name: str) -> None:
        (found,) = [row for row in await names(platform) if row.name == name]
        assert found.created_at is not None
        one = await ask(platform, "GET", f"/v1/secrets/{name}")
        assert one.json()["value"] == "first"

    with_secret(platform, "first", act)


@pytest.mark.from_source
@pytest.mark.covers("secrets.create")
def test_a_name_that_is_taken_is_refused(platform: Platform) -> None:
    """Contract 2.1: 409 on duplicate name."""

    async def act(name: str) -> None:
        again = await ask(platform, "POST", "/v1/secrets", {"name": name, "value": "other"})
        assert again.status_code == 409

    with_secret(platform, "first", act)


@pytest.mark.from_source
@pytest.mark.covers("secrets.patch", "secrets.read", "secrets.delete")
def test_a_secret_is_changed_and_goes(platform: Platform) -> None:
    """Contract 2.1: `PATCH`, `DELETE`."""

    async def act(name: str) -> None:
        path = f"/v1/secrets/{name}"
        changed = await ask(platform, "PATCH", path, {"value": "second"})
        assert changed.is_success, changed.text
        assert (await ask(platform, "GET", path)).json()["value"] == "second"
        assert (await ask(platform, "DELETE", path)).is_success
        assert name not in {row.name for row in await names(platform)}

    with_secret(platform, "first", act)


@pytest.mark.from_source
@pytest.mark.covers("secrets.create", "sandboxes.create")
def test_a_machine_sees_the_secret_that_it_was_made_with(platform: Platform) -> None:
    """Contract 2.2: `secrets` is a list of names, or `all`."""
    name = f"{platform.variable_prefix}_{uuid.uuid4().hex[:8].upper()}"

    async def see(made: MachineUnderTest) -> str:
        client = made.account
        spec = SandboxSpec(name=platform.new_name(), secrets=(name,), max_lifetime_s=600)
        row = await made.signed.sandboxes.create(spec, idempotency_key=spec.name)
        try:
            await made.until(
                lambda: client.sandboxes.get(row.sandbox_id),
                lambda found: found.status not in {"pending", "provisioning"},
            )
            shown = await client.runtime.command(row.sandbox_id, f'echo "${name}"')
        finally:
            await client.sandboxes.delete(row.sandbox_id)
        return shown.stdout.strip()

    async def act(made: MachineUnderTest) -> str:
        await ask(platform, "POST", "/v1/secrets", {"name": name, "value": "s3en"})
        try:
            return await see(made)
        finally:
            await ask(platform, "DELETE", f"/v1/secrets/{name}")

    assert platform.with_machine(act) == "s3en"
