"""What somebody is about to import: read, shown, and not yet written to the catalog."""

from django.conf import settings
from django.db import models

from fleets.models.profiles import Catalog


class ProfileImport(models.Model):
    """One reading of uploaded files, kept a while between its preview and its confirmation.

    `found` is the text of `fleets.domain.profile_import.kept`: bodies of what could be kept, and
    problems of what could not. The files themselves are never stored. Once confirmed, `found` is
    emptied and `outcome` says what became of it.
    """

    public_id = models.CharField(max_length=40, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="profile_imports"
    )
    catalog = models.ForeignKey(
        Catalog, models.CASCADE, related_name="+", help_text="Where new profiles go."
    )
    found = models.TextField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    confirmed_at = models.DateTimeField(null=True)
    outcome = models.JSONField(default=list)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.public_id
