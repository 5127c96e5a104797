"""An operation: an act that takes time, with its proof node by node."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from fleets.domain.status import OperationKind, OperationState
from fleets.models.choices import choices_of, one_of
from fleets.models.fleets import Fleet


class Operation(models.Model):
    """An act somebody ordered. The row is the order; a queue message only wakes a worker."""

    public_id = models.CharField(max_length=40, unique=True)
    fleet = models.ForeignKey(Fleet, models.CASCADE, related_name="operations")
    kind = models.CharField(max_length=20, choices=choices_of(OperationKind))
    state = models.CharField(
        max_length=10, choices=choices_of(OperationState), default=OperationState.QUEUED
    )
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    door = models.CharField(max_length=20)
    requested_at = models.DateTimeField()
    reason = models.CharField(max_length=300, blank=True, default="")
    idempotency_key = models.CharField(max_length=80, unique=True)
    params = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    sentence = models.CharField(max_length=400, blank=True, default="")
    confirmed_at = models.DateTimeField(null=True, help_text="The platform said it is so.")
    ended_at = models.DateTimeField(null=True)
    readings = models.PositiveIntegerField(
        default=0, help_text="Consecutive re-readings that showed nothing new."
    )
    attempts = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0, help_text="Attempts in a row that failed.")
    next_attempt_at = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=80, blank=True, default="")
    lease_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-requested_at", "-pk"]
        constraints = [
            one_of("kind", OperationKind, name="operation_kind_known"),
            one_of("state", OperationState, name="operation_state_known"),
        ]
        indexes = [
            models.Index(
                fields=["next_attempt_at"],
                name="operation_due",
                condition=Q(ended_at__isnull=True),
            ),
            models.Index(fields=["fleet", "-requested_at"], name="operation_of_fleet"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class NodeKind(models.TextChoices):
    FLEET = "fleet", "fleet"
    KEY = "key", "key"
    AGENT = "agent", "agent"
    MACHINE = "machine", "machine"


class OperationNode(models.Model):
    """One thing an operation acts on, with what was asked of it and what was proved."""

    operation = models.ForeignKey(Operation, models.CASCADE, related_name="nodes")
    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=NodeKind.choices)
    label = models.CharField(max_length=140)
    ref = models.CharField(max_length=140, blank=True, default="")
    requested_at = models.DateTimeField(null=True)
    acknowledged_at = models.DateTimeField(null=True)
    stopped_at = models.DateTimeField(null=True)
    gone_at = models.DateTimeField(null=True)
    key_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=20, default="queued")
    attempts = models.PositiveIntegerField(default=0)
    revived = models.PositiveIntegerField(default=0)
    result = models.CharField(max_length=400, blank=True, default="")

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["operation", "kind", "ref"], name="operation_node_unique"
            )
        ]

    def __str__(self) -> str:
        return self.label
