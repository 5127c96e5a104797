"""The account's balance and transactions (contract 5). Signed with the account key."""

from fleets.platform_api import operations as op
from fleets.platform_api.answers.billing import (
    Balance,
    Transaction,
    parse_balance,
    parse_transactions,
)
from fleets.platform_api.encoding import given
from fleets.platform_api.resources.base import Resource

PAGE = 200


class Billing(Resource):
    """What the account has and what took from it."""

    async def balance(self) -> Balance:
        """The money left. Raises Forbidden for a key that is not the account's."""
        return (await self._send(op.BILLING_BALANCE)).parse(parse_balance)

    async def transactions(
        self, *, limit: int = PAGE, product: str | None = None, key_id: str | None = None
    ) -> tuple[Transaction, ...]:
        """The latest charges, at most `limit`, of one product or key where one is named."""
        query = given(limit=limit, product=product, keyId=key_id)
        return (await self._send(op.BILLING_TRANSACTIONS, query=query)).parse(parse_transactions)
