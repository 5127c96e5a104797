"""What was ordered of a connection's own catalog of profiles: to read it, or to publish there."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from fleets.domain.status import OperationState
from fleets.models.choices import choices_of, one_of
from fleets.models.connections import Connection
from fleets.models.profiles import Profile, ProfileRevision


class CatalogAct(models.TextChoices):
    READ = "read", "read"
    PUBLISH = "publish", "publish"


class CatalogOrder(models.Model):
    """The row is the order; a queue message only wakes a worker. `base` is the platform's revision
    that the person saw, None when there was none: a publication on top of another is refused.
    """

    public_id = models.CharField(max_length=40, unique=True)
    act = models.CharField(max_length=10, choices=CatalogAct.choices)
    connection = models.ForeignKey(Connection, models.CASCADE, related_name="catalog_orders")
    profile = models.ForeignKey(Profile, models.CASCADE, null=True, related_name="publications")
    revision = models.ForeignKey(ProfileRevision, models.CASCADE, null=True, related_name="+")
    base = models.PositiveBigIntegerField(null=True)
    state = models.CharField(
        max_length=10, choices=choices_of(OperationState), default=OperationState.QUEUED
    )
    sentence = models.CharField(max_length=400, blank=True, default="")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    door = models.CharField(max_length=20)
    requested_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0, help_text="Attempts in a row that failed.")
    next_attempt_at = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=80, blank=True, default="")
    lease_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-requested_at", "-pk"]
        constraints = [
            one_of("state", OperationState, name="catalog_order_state_known"),
            models.UniqueConstraint(
                fields=["connection", "act"],
                name="one_reading_of_a_catalog",
                condition=Q(ended_at__isnull=True, act="read"),
            ),
            models.UniqueConstraint(
                fields=["connection", "profile"],
                name="one_publication_of_a_profile",
                condition=Q(ended_at__isnull=True, act="publish"),
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_attempt_at"],
                name="catalog_order_due",
                condition=Q(ended_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.public_id}"
