"""A machine (the platform says sandbox) of a fleet."""

from django.db import models

from fleets.models.choices import not_negative
from fleets.models.fleets import Fleet


class Machine(models.Model):
    """One machine: the place planned for agents, and the sandbox the platform made for it."""

    fleet = models.ForeignKey(Fleet, models.CASCADE, related_name="machines")
    machine_id = models.CharField(max_length=63)
    position = models.PositiveIntegerField()
    sandbox_id = models.CharField(max_length=80, blank=True, default="")
    status = models.CharField(
        max_length=40, blank=True, default="", help_text="The platform's own word, last seen."
    )
    status_seen_at = models.DateTimeField(null=True)
    cpu_cores = models.PositiveIntegerField()
    memory_mib = models.PositiveIntegerField()
    disk_gib = models.PositiveIntegerField()
    memory_planned_mib = models.PositiveIntegerField()
    is_dedicated = models.BooleanField(default=False)
    error = models.CharField(max_length=500, blank=True, default="")
    running_since = models.DateTimeField(null=True)
    warm_at = models.DateTimeField(
        null=True, help_text="Its first turn reached a model; until then it gets one turn only."
    )
    needs_preparation = models.BooleanField(
        default=False, help_text="Files or a set-up command come before its first turn."
    )
    preparation_began_at = models.DateTimeField(
        null=True, help_text="Written before the first request: after a crash, it may have begun."
    )
    prepared_at = models.DateTimeField(null=True)
    preparation_error = models.CharField(
        max_length=500, blank=True, default="", help_text="Then nothing begins on it."
    )
    stop_requested_at = models.DateTimeField(null=True)
    gone_at = models.DateTimeField(null=True)
    sessions_read_at = models.DateTimeField(
        null=True, help_text="Of a found fleet: when its sessions were last read."
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["fleet", "machine_id"], name="machine_unique_in_fleet"),
            not_negative("memory_planned_mib", name="machine_memory_not_negative"),
        ]

    def __str__(self) -> str:
        return self.machine_id

    @property
    def is_prepared(self) -> bool:
        """Whether its files and its set-up command are done, or there are none."""
        return not self.needs_preparation or self.prepared_at is not None
