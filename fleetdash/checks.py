"""System checks of the house: what would go wrong quietly is said at the start."""

from collections.abc import Sequence
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error, register


@register()
def key_ring_is_usable(*, app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Every key of the ring must be a Fernet key, or secrets could not be read back."""
    try:
        for key in settings.FLEETDASH_KEY_RING:
            Fernet(key)
    except (ValueError, TypeError):
        return [
            Error(
                "FLEETDASH_KEY_RING holds something that is not a Fernet key.",
                hint="Write comma-separated keys of `Fernet.generate_key()`, the newest first.",
                id="fleetdash.E001",
            )
        ]
    return []
