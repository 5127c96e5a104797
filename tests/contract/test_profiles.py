"""The catalog of saved profiles: no source gives its routes (contract 6.2, 10 row 17)."""

import pytest

from fleets.platform_api.answers.profiles import ProfileListed, SavedProfile
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import NotFound, WrongState
from fleets.platform_api.resources.profiles import head_of
from tests.contract.platform import Platform

FIRST = {"name": "Reviewer", "description": "Reads code.", "prompt": {"instructions": ["Read."]}}
SECOND = {**FIRST, "prompt": {"instructions": ["Read twice."]}}


@pytest.mark.our_choice
@pytest.mark.covers("profiles.put", "profiles.get", "profiles.list", "profiles.delete")
def test_a_profile_is_made_revised_read_and_removed(platform: Platform) -> None:
    """Contract 10 row 17: revisions count from 1, each can be read."""

    async def act(
        client: PlatformClient,
    ) -> tuple[list[ProfileListed], list[SavedProfile], list[ProfileListed]]:
        name = platform.new_name()
        put = [
            await client.profiles.put(name, profile=FIRST, base=None),
            await client.profiles.put(name, profile=SECOND, base=1),
        ]
        read = [await client.profiles.get(name), await client.profiles.get(name, revision=1)]
        page = await client.profiles.list(limit=200)
        listed = [row for row in page.profiles if row.profile_id == name]
        assert await client.profiles.delete(name) is True
        assert await client.profiles.delete(name) is False
        with pytest.raises(NotFound):
            await client.profiles.get(name)
        return put, read, listed

    put, (head, first), (row,) = platform.run(act)
    assert [one.revision for one in put] == [1, 2]
    assert (head.revision, head.profile) == (2, SECOND)
    assert (first.revision, first.profile) == (1, FIRST)
    assert (row.revision, row.name, row.description) == (2, "Reviewer", "Reads code.")
    assert row.updated_at is not None


@pytest.mark.our_choice
@pytest.mark.covers("profiles.put")
def test_a_stale_put_is_refused_with_the_head(platform: Platform) -> None:
    """Contract 10 row 17: 409 `INVALID_STATE`, `currentState` = the head."""

    async def act(client: PlatformClient) -> tuple[WrongState, WrongState]:
        name = platform.new_name()
        await client.profiles.put(name, profile=FIRST, base=None)
        await client.profiles.put(name, profile=SECOND, base=1)
        with pytest.raises(WrongState) as stale:
            await client.profiles.put(name, profile=FIRST, base=1)
        with pytest.raises(WrongState) as taken:
            await client.profiles.put(name, profile=FIRST, base=None)
        await client.profiles.delete(name)
        return stale.value, taken.value

    for refused in platform.run(act):
        assert (refused.code, head_of(refused)) == ("INVALID_STATE", 2)


@pytest.mark.our_choice
@pytest.mark.covers("profiles.list")
def test_the_catalog_pages(platform: Platform) -> None:
    """Contract 10 row 17: `limit`, `offset`, `total`."""

    async def act(client: PlatformClient) -> tuple[int | None, int, set[str], set[str]]:
        made = {platform.new_name() for _number in range(3)}
        for name in made:
            await client.profiles.put(name, profile=FIRST, base=None)
        found: set[str] = set()
        total, offset = None, 0
        while True:
            page = await client.profiles.list(limit=2, offset=offset)
            total, offset = page.total, offset + 2
            found |= {row.profile_id for row in page.profiles}
            if len(page.profiles) < 2:
                break
        for name in made:
            await client.profiles.delete(name)
        return total, len(found), made, found

    total, count, made, found = platform.run(act)
    assert made <= found
    assert total == count


@pytest.mark.our_choice
@pytest.mark.covers("profiles.get")
def test_a_revision_that_is_not_there_is_not_found(platform: Platform) -> None:
    """Contract 10 row 17."""

    async def act(client: PlatformClient) -> None:
        name = platform.new_name()
        await client.profiles.put(name, profile=FIRST, base=None)
        with pytest.raises(NotFound):
            await client.profiles.get(name, revision=9)
        await client.profiles.delete(name)

    platform.run(act)
