"""A connection: one account on the platform."""

from django.db import models

from fleets.models.people import Team
from fleets.models.sealed import SealedField, SecretUnreadable


class Connection(models.Model):
    """Where the platform is and the account key that reads, cancels and deletes there."""

    name = models.CharField(max_length=80, unique=True)
    sandbox_url = models.URLField(max_length=200)
    id_url = models.URLField(max_length=200)
    router_url = models.URLField(max_length=200)
    api_key = SealedField()
    api_key_last_four = models.CharField(max_length=4)
    api_key_fingerprint = models.CharField(max_length=8)
    rate_per_minute = models.PositiveIntegerField(default=300)
    is_emulator = models.BooleanField(default=False)
    default_team = models.ForeignKey(
        Team, models.SET_NULL, null=True, blank=True, help_text="Of fleets found on the account."
    )
    account_read_at = models.DateTimeField(
        null=True, help_text="When all of the account's fleets were last read."
    )
    catalog_read_at = models.DateTimeField(
        null=True, help_text="When its catalog of saved profiles was last read."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    @property
    def account_key(self) -> str:
        """The plain account key. Raises `SecretUnreadable` when the key ring cannot open it."""
        if self.api_key is None:
            raise SecretUnreadable("This connection has no account key.")
        return self.api_key.reveal()

    def __str__(self) -> str:
        return self.name
