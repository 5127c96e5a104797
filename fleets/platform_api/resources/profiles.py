"""The platform's catalog of saved profiles (contract 6.2, 10 row 17: ours until known)."""

from collections.abc import Mapping
from typing import Any

from fleets.platform_api import operations as op
from fleets.platform_api.answers.profiles import (
    ProfileListed,
    ProfilePage,
    SavedProfile,
    parse_profiles,
    parse_put,
    parse_saved,
)
from fleets.platform_api.encoding import given
from fleets.platform_api.errors import NotFound, WrongState
from fleets.platform_api.resources.base import Resource

PAGE = 200


class Profiles(Resource):
    """Profiles that are kept on the platform, each with numbered revisions from 1."""

    async def list(self, *, limit: int = PAGE, offset: int = 0) -> ProfilePage:
        """The catalog's rows, without the profiles themselves."""
        query = {"limit": limit, "offset": offset}
        return (await self._send(op.PROFILE_LIST, query=query)).parse(parse_profiles)

    async def get(self, profile_id: str, *, revision: int | None = None) -> SavedProfile:
        """A revision in full, the newest without one. Raises NotFound for either."""
        reply = await self._send(
            op.PROFILE_GET, path={"profile_id": profile_id}, query=given(revision=revision)
        )
        return reply.parse(parse_saved)

    async def put(
        self, profile_id: str, *, profile: Mapping[str, Any], base: int | None
    ) -> ProfileListed:
        """Saves a new revision on top of `base`; None makes the profile anew, and only then.

        Raises WrongState when the newest revision is another (`head_of` tells it), or when there
        is a profile of that name and `base` is None. Never repeated after an unknown outcome: read
        the newest revision and compare.
        """
        conditions = {"If-None-Match": "*"} if base is None else {"If-Match": str(base)}
        reply = await self._send(
            op.PROFILE_PUT, path={"profile_id": profile_id}, body=profile, conditions=conditions
        )
        return reply.parse(lambda body: parse_put(body, profile_id=profile_id))

    async def delete(self, profile_id: str) -> bool:
        """Removes it with all its revisions; False when there was none (any more)."""
        try:
            await self._send(op.PROFILE_DELETE, path={"profile_id": profile_id})
        except NotFound:
            return False
        return True


def head_of(error: WrongState, /) -> int | None:
    """The newest revision, as a refused put tells it; None when it does not."""
    said = error.details.current_state or ""
    return int(said) if said.isascii() and said.isdigit() else None
