"""Secrets that the account keeps on the platform, by name only (contract 2.1)."""

from fleets.platform_api import operations as op
from fleets.platform_api.answers.secrets import SecretName, parse_secrets
from fleets.platform_api.resources.base import Resource


class Secrets(Resource):
    """Which secrets a sandbox may ask for. Values are neither read nor written by this client."""

    async def list(self) -> tuple[SecretName, ...]:
        """The names of all stored secrets."""
        return (await self._send(op.SECRET_LIST)).parse(parse_secrets)
