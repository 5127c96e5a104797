"""What happened: the fleet's own timeline, and the frames of its sessions."""

from django.db import models

from fleets.models.agents import Agent
from fleets.models.fleets import Fleet


class FleetEvent(models.Model):
    """One line of a fleet's timeline, written by us for people to read."""

    fleet = models.ForeignKey(Fleet, models.CASCADE, related_name="events")
    agent = models.ForeignKey(Agent, models.CASCADE, null=True, related_name="events")
    at = models.DateTimeField()
    kind = models.CharField(max_length=40)
    text = models.CharField(max_length=400)

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["fleet", "-at", "-id"], name="fleet_event_recent")]

    def __str__(self) -> str:
        return self.text


class TurnEvent(models.Model):
    """One frame of a turn's stream, once. Stored in daily partitions (see the first migration).

    Unique by session, execution, event id and `turn_day` (the UTC date of the turn's dispatch:
    most frames carry no clock, and a receipt time would store a duplicate twice).
    """

    turn_day = models.DateField()
    fleet_id = models.BigIntegerField()
    turn_id = models.BigIntegerField()
    session_id = models.CharField(max_length=120)
    execution_id = models.CharField(max_length=120)
    event_id = models.PositiveIntegerField()
    type = models.CharField(max_length=60)
    event_at = models.DateTimeField(null=True)
    received_at = models.DateTimeField()
    data = models.JSONField()

    class Meta:
        managed = False
        db_table = "fleets_turnevent"

    def __str__(self) -> str:
        return f"{self.execution_id}#{self.event_id} {self.type}"
