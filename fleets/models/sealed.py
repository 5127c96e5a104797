"""Secrets at rest: a field that seals what it stores and reveals it only when asked by name."""

import hashlib
from typing import TYPE_CHECKING, Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import models


class SecretUnreadable(Exception):
    """No key of the ring opens this secret: the key ring is not the one that sealed it."""


def _ring() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.FLEETDASH_KEY_RING])


class SealedSecret:
    """A stored secret. Its text is seen only through `reveal()`, never through `str` or `repr`."""

    __slots__ = ("_token",)

    def __init__(self, token: str) -> None:
        self._token = token

    @classmethod
    def seal(cls, text: str) -> "SealedSecret":
        """Seal a plain secret with the newest key of the ring."""
        return cls(_ring().encrypt(text.encode()).decode())

    @property
    def token(self) -> str:
        """The sealed form, as the database keeps it."""
        return self._token

    def reveal(self) -> str:
        """The plain secret. Raises `SecretUnreadable` when no key of the ring opens it."""
        try:
            return _ring().decrypt(self._token.encode()).decode()
        except InvalidToken as error:
            raise SecretUnreadable(
                "A stored secret cannot be opened: FLEETDASH_KEY_RING lacks the key that sealed it."
            ) from error

    def rotated(self) -> "SealedSecret":
        """The same secret, sealed with the newest key."""
        return SealedSecret(_ring().rotate(self._token.encode()).decode())

    def __repr__(self) -> str:
        return "SealedSecret(…)"

    __str__ = __repr__


def fingerprint(text: str) -> str:
    """Eight hex digits that tell two secrets apart without telling either."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


if TYPE_CHECKING:
    _TextField = models.TextField["SealedSecret | None", "SealedSecret | None"]
else:
    _TextField = models.TextField


class SealedField(_TextField):
    """Stores a `SealedSecret`; plain text is refused so that nothing is sealed by accident."""

    def from_db_value(self, value: str | None, *_: Any) -> SealedSecret | None:
        return None if value is None else SealedSecret(value)

    def to_python(self, value: Any) -> SealedSecret | None:
        if value is None or isinstance(value, SealedSecret):
            return value
        raise TypeError("Give a SealedSecret (SealedSecret.seal(text)), not plain text.")

    def get_prep_value(self, value: Any) -> str | None:
        sealed = self.to_python(value)
        return None if sealed is None else sealed.token
