"""The platform client: addresses, one key, one transport, and a resource per noun."""

from fleets.platform_api.resources.account import Account
from fleets.platform_api.resources.batches import Batches
from fleets.platform_api.resources.billing import Billing
from fleets.platform_api.resources.catalog import Catalog
from fleets.platform_api.resources.fleets import Fleets
from fleets.platform_api.resources.keys import Keys
from fleets.platform_api.resources.profiles import Profiles
from fleets.platform_api.resources.runtime import Runtime
from fleets.platform_api.resources.sandboxes import Sandboxes
from fleets.platform_api.resources.secrets import Secrets
from fleets.platform_api.resources.sessions import Sessions
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import Transport
from fleets.platform_api.types import BaseUrls


class PlatformClient:
    """Signs everything with one key; which key signs what is contract 10 row 31.

    All methods are coroutines and raise `errors.PlatformError`. The transport is shared and closed
    by whoever made it.
    """

    def __init__(self, urls: BaseUrls, key: Secret, *, transport: Transport) -> None:
        self._urls = urls
        self._transport = transport
        self.keys = Keys(urls, key, transport)
        self.billing = Billing(urls, key, transport)
        self.fleets = Fleets(urls, key, transport)
        self.sandboxes = Sandboxes(urls, key, transport)
        self.runtime = Runtime(urls, key, transport)
        self.sessions = Sessions(urls, key, transport)
        self.profiles = Profiles(urls, key, transport)
        self.batches = Batches(urls, key, transport)
        self.account = Account(urls, key, transport)
        self.catalog = Catalog(urls, key, transport)
        self.secrets = Secrets(urls, key, transport)

    def with_key(self, key: Secret) -> "PlatformClient":
        """The same client with another key: the fleet key for creates and turns."""
        return PlatformClient(self._urls, key, transport=self._transport)

    def __repr__(self) -> str:
        return f"<PlatformClient {self._urls.sandbox}>"
