"""An agent of a fleet: its place, its session, and the figures of all its turns."""

from django.db import models

from fleets.domain.status import TaskState
from fleets.models.choices import choices_of, not_negative, one_of
from fleets.models.fleets import Fleet
from fleets.models.machines import Machine


class AgentProfile(models.Model):
    """A profile as it stood at the launch; agents with the same content share the row.

    `body` is JSON text: the platform gets it back exactly as it was digested.
    """

    fleet = models.ForeignKey(Fleet, models.CASCADE, related_name="profiles")
    digest = models.CharField(max_length=16)
    name = models.CharField(max_length=200, blank=True, default="")
    body = models.TextField()
    revision = models.ForeignKey(
        "ProfileRevision",
        models.SET_NULL,
        null=True,
        related_name="used_as",
        help_text="Of the catalog, where it came from there.",
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["fleet", "digest"], name="profile_unique_in_fleet"),
        ]

    def __str__(self) -> str:
        return self.name or self.digest


class Agent(models.Model):
    """One agent. `state` is the state of its newest task.

    `harness`, `model` and what goes with it are what is asked for: the agent's own words, then its
    profile's, then the fleet's. `model_options` (`apiKeyEnv` and the like) name secrets at most.
    """

    fleet = models.ForeignKey(Fleet, models.CASCADE, related_name="agents")
    machine = models.ForeignKey(Machine, models.CASCADE, related_name="agents")
    agent_id = models.CharField(max_length=63)
    position = models.PositiveIntegerField()
    session_id = models.CharField(max_length=120)
    harness = models.CharField(max_length=40)
    model = models.CharField(max_length=120)
    model_options = models.JSONField(default=dict)
    profile = models.ForeignKey(
        AgentProfile, models.CASCADE, null=True, related_name="agents", help_text="None: without."
    )
    output_limit = models.PositiveBigIntegerField(
        null=True, help_text="The most tokens of one answer, by its profile."
    )
    placement = models.CharField(
        max_length=20, blank=True, default="", help_text="Its own rule; empty: the fleet's."
    )
    answer_check = models.JSONField(
        null=True, blank=True, help_text="What its good answers are; None: what the fleet says."
    )
    effective_harness = models.CharField(max_length=40, blank=True, default="")
    effective_model = models.CharField(max_length=120, blank=True, default="")
    state = models.CharField(max_length=20, choices=choices_of(TaskState), default=TaskState.QUEUED)
    state_reason = models.CharField(max_length=20, blank=True, default="")
    last_event = models.CharField(max_length=300, blank=True, default="")
    last_event_at = models.DateTimeField(null=True)
    turns = models.PositiveIntegerField(default=0)
    input_tokens = models.BigIntegerField(null=True)
    cached_tokens = models.BigIntegerField(null=True)
    output_tokens = models.BigIntegerField(null=True)
    cost_nusd = models.BigIntegerField(null=True)
    # Of the turn under way, as far as its stream has told; the figures above are of ended turns.
    running_input_tokens = models.BigIntegerField(null=True)
    running_output_tokens = models.BigIntegerField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["fleet", "agent_id"], name="agent_unique_in_fleet"),
            # Others choose session ids as they like: the same one may be on two machines.
            models.UniqueConstraint(fields=["machine", "session_id"], name="agent_session_unique"),
            one_of("state", TaskState, name="agent_state_known"),
            not_negative("cost_nusd", name="agent_cost_not_negative"),
        ]
        indexes = [models.Index(fields=["fleet", "state", "position"], name="agent_by_state")]

    def __str__(self) -> str:
        return self.agent_id
