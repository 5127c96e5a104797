"""The account itself: what it used and its plan (contract 2.1)."""

from fleets.platform_api import operations as op
from fleets.platform_api.answers.account import (
    AccountUsage,
    Subscription,
    parse_subscription,
    parse_usage,
)
from fleets.platform_api.errors import NotFound
from fleets.platform_api.resources.base import Resource


class Account(Resource):
    """Use and plan of the account that the key belongs to."""

    async def usage(self) -> AccountUsage:
        """What was used in the running period."""
        return (await self._send(op.ACCOUNT_USAGE)).parse(parse_usage)

    async def subscription(self) -> Subscription | None:
        """The plan; None for an account without one."""
        try:
            reply = await self._send(op.ACCOUNT_SUBSCRIPTION)
        except NotFound:
            return None
        return reply.parse(parse_subscription)
