"""Changes that were made to many profiles in one act, profile by profile, and whether undone."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from fleets.models.profiles import Profile


class BulkOutcome(models.TextChoices):
    CHANGED = "changed", "changed"
    UNCHANGED = "unchanged", "unchanged"
    REFUSED = "refused", "refused"
    LEFT_OUT = "left_out", "left out"


class ProfileBulkChange(models.Model):
    """One change over a selection of profiles, and what was said about it.

    `change` is `fleets.domain.profile_change.ProfileChange.as_json`, `selection` says in words
    which profiles were meant, `count` how many got a new revision.
    """

    public_id = models.CharField(max_length=40, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="profile_bulk_changes"
    )
    made_at = models.DateTimeField()
    note = models.CharField(max_length=300, blank=True, default="")
    change = models.JSONField()
    words = models.CharField(max_length=300)
    selection = models.CharField(max_length=300)
    is_published = models.BooleanField(help_text="Off: the new revisions were drafts.")
    count = models.PositiveIntegerField()
    undone_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(undone_at__isnull=False) | Q(undone_by__isnull=True),
                name="bulk_undone_by_needs_time",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id


class ProfileBulkItem(models.Model):
    """What became of one profile. Its id and numbers stay when the profile is deleted.

    `undone_number` is the revision that brought the former content back; `undo_reason` says why
    there is none.
    """

    bulk = models.ForeignKey(ProfileBulkChange, models.CASCADE, related_name="items")
    profile = models.ForeignKey(Profile, models.SET_NULL, null=True, related_name="+")
    slug = models.CharField(max_length=63)
    outcome = models.CharField(max_length=10, choices=BulkOutcome.choices)
    reason = models.CharField(max_length=500, blank=True, default="")
    from_number = models.PositiveIntegerField(null=True)
    to_number = models.PositiveIntegerField(null=True)
    undone_number = models.PositiveIntegerField(null=True)
    undo_reason = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.UniqueConstraint(fields=["bulk", "slug"], name="bulk_item_unique"),
            models.CheckConstraint(
                condition=~Q(outcome="changed") | Q(to_number__isnull=False),
                name="bulk_changed_has_revision",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug} in {self.bulk_id}"
