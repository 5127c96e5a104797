"""Who wants to hear what is published: in one profile, or in a whole catalog."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from fleets.models.profiles import Catalog, Profile


class ProfileFollow(models.Model):
    """One person follows one profile or one catalog; `seen_at` is up to when they have looked."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="profile_follows"
    )
    profile = models.ForeignKey(Profile, models.CASCADE, null=True, related_name="follows")
    catalog = models.ForeignKey(Catalog, models.CASCADE, null=True, related_name="follows")
    created_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(profile__isnull=True) ^ Q(catalog__isnull=True),
                name="follow_one_thing",
            ),
            models.UniqueConstraint(fields=["user", "profile"], name="follow_profile_once"),
            models.UniqueConstraint(fields=["user", "catalog"], name="follow_catalog_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} follows {self.profile_id or self.catalog_id}"
