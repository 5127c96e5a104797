"""What the platform offers: sizes and harnesses (contract 2.1, 8, 9)."""

from fleets.platform_api import operations as op
from fleets.platform_api.answers.backends import Backend, parse_backends
from fleets.platform_api.answers.shapes import Shapes, parse_shapes
from fleets.platform_api.resources.base import Resource


class Catalog(Resource):
    """Sizes of machines and harnesses of agents."""

    async def shapes(self) -> Shapes:
        """The named sizes and the account's ceiling."""
        return (await self._send(op.CATALOG_SHAPES)).parse(parse_shapes)

    async def backends(self) -> tuple[Backend, ...]:
        """The harnesses with what each can do."""
        return (await self._send(op.CATALOG_BACKENDS)).parse(parse_backends)
