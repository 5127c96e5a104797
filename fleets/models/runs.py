"""A run (one pass of work over a fleet), its tasks, and the turns that try them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from fleets.domain.answer_check import Verdict
from fleets.domain.status import OutcomeReason, StreamEnd, TaskState, TurnOutcome, TurnState
from fleets.models.agents import Agent
from fleets.models.choices import choices_of, not_negative, one_of
from fleets.models.fleets import Fleet


class Run(models.Model):
    """One pass of work. Exactly one tick works on a run at a time: the lease says which."""

    fleet = models.ForeignKey(Fleet, models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField()
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    at_once = models.PositiveIntegerField(null=True, help_text="Empty means auto.")
    message = models.TextField(
        blank=True, default="", help_text="What all were asked; empty: each its own task again."
    )
    is_fresh = models.BooleanField(
        default=False, help_text="Its agents began new sessions instead of continuing theirs."
    )
    form_key = models.CharField(
        max_length=64, null=True, unique=True, help_text="Of the form that ordered it, if one did."
    )
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    stop_reason = models.CharField(max_length=20, blank=True, default="")
    requests = models.PositiveIntegerField(default=0, help_text="Calls to the platform, all kinds.")
    streams = models.PositiveIntegerField(
        default=0, help_text="Event streams that followers opened; not among the requests."
    )
    ticks = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(
        default=0, help_text="Ticks in a row that ended in an error of our own."
    )

    lease_owner = models.CharField(max_length=80, blank=True, default="")
    lease_until = models.DateTimeField(null=True)
    next_tick_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["fleet", "number"], name="run_number_unique"),
        ]
        indexes = [
            models.Index(
                fields=["next_tick_at"], name="run_due", condition=Q(ended_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"run {self.number} of {self.fleet_id}"


class Task(models.Model):
    """One piece of work in a run.

    In a pool a task has no agent until one has taken it, in the transaction that writes its turn;
    from then on `session_id` is its conversation. Its `position` is that of the list, in every run.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="tasks")
    agent = models.ForeignKey(
        Agent, models.CASCADE, null=True, related_name="tasks", help_text="None: not taken yet."
    )
    position = models.PositiveIntegerField()
    name = models.CharField(
        max_length=120, blank=True, default="", help_text="Of a pool: its id in the list."
    )
    prompt = models.TextField()
    item = models.TextField(
        blank=True, default="", help_text="What {task} stood for, where a message held it."
    )
    session_id = models.CharField(
        max_length=120, blank=True, default="", help_text="Empty: its agent's own session."
    )
    form_key = models.CharField(
        max_length=64, null=True, unique=True, help_text="Of the form that ordered it, if one did."
    )
    state = models.CharField(max_length=20, choices=choices_of(TaskState), default=TaskState.QUEUED)
    reason = models.CharField(max_length=20, blank=True, default="")
    response = models.TextField(blank=True, default="")
    error = models.CharField(max_length=500, blank=True, default="")
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    # What became of its answer, by the fleet's check; empty while there is no answer.
    verdict = models.CharField(max_length=20, choices=choices_of(Verdict), blank=True, default="")
    verdict_reason = models.CharField(max_length=300, blank=True, default="")
    verdict_at = models.DateTimeField(null=True)
    verdict_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, help_text="Who decided, if a person."
    )
    check_sent_at = models.DateTimeField(
        null=True, help_text="When the command that checks it was sent: once, whatever came of it."
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="task_position_unique"),
            one_of("state", TaskState, name="task_state_known"),
        ]
        indexes = [
            models.Index(fields=["run", "state", "position"], name="task_by_state"),
            models.Index(
                fields=["ended_at"],
                name="task_to_check",
                condition=Q(verdict=Verdict.WAITING_COMMAND),
            ),
        ]

    def __str__(self) -> str:
        return f"task {self.position} of run {self.run_id}"


class Turn(models.Model):
    """One attempt of an agent at a task.

    The row is written before the request leaves, so that after a crash the same `turn_id` is sent
    again and the platform admits it once. A new attempt begins only when the former has ended.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="turns")
    task = models.ForeignKey(Task, models.CASCADE, related_name="turns")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="turn_rows")
    attempt = models.PositiveIntegerField(default=1)
    turn_id = models.CharField(max_length=80)
    session_id = models.CharField(
        max_length=120, blank=True, default="", help_text="The session it is sent in."
    )
    epoch = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=choices_of(TurnState))
    outcome = models.CharField(max_length=20, choices=choices_of(TurnOutcome), null=True)
    reason = models.CharField(max_length=20, choices=choices_of(OutcomeReason), null=True)
    dispatches = models.PositiveIntegerField(default=0, help_text="How often it was sent.")
    next_dispatch_at = models.DateTimeField(null=True)
    requested_at = models.DateTimeField(null=True)
    admitted_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    turn_day = models.DateField(help_text="UTC date of the dispatch; places its events.")
    execution_id = models.CharField(max_length=120, blank=True, default="")
    trace_id = models.CharField(max_length=64, blank=True, default="")
    last_event_id = models.PositiveIntegerField(default=0)
    follower = models.CharField(
        max_length=80, blank=True, default="", help_text="Who holds its event stream."
    )
    follow_until = models.DateTimeField(
        null=True, help_text="Until then nobody else takes its stream; extended while it is held."
    )
    stream_end = models.CharField(
        max_length=20,
        blank=True,
        default="",
        choices=choices_of(StreamEnd),
        help_text="How its last stream ended; anything but an end leaves the word to the tick.",
    )
    input_tokens = models.BigIntegerField(null=True)
    cached_tokens = models.BigIntegerField(null=True)
    output_tokens = models.BigIntegerField(null=True)
    reasoning_tokens = models.BigIntegerField(null=True)
    cost_nusd = models.BigIntegerField(null=True)
    error = models.CharField(max_length=500, blank=True, default="")
    error_code = models.CharField(max_length=80, blank=True, default="")
    finished_before_stop = models.BooleanField(
        default=False, help_text="The interrupt came too late: there was nothing left to stop."
    )
    ended_after_stop = models.BooleanField(
        default=False, help_text="The platform's end arrived after an operator ended the turn."
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "task", "attempt"], name="turn_unique_per_task_and_attempt"
            ),
            models.UniqueConstraint(fields=["agent", "turn_id"], name="turn_id_unique_in_session"),
            one_of("state", TurnState, name="turn_state_known"),
            one_of("outcome", TurnOutcome, name="turn_outcome_known"),
            models.CheckConstraint(
                condition=Q(state=TurnState.ENDED, outcome__isnull=False)
                | (~Q(state=TurnState.ENDED) & Q(outcome__isnull=True)),
                name="turn_outcome_iff_ended",
            ),
            not_negative("cost_nusd", name="turn_cost_not_negative"),
        ]
        indexes = [
            models.Index(fields=["run"], name="turn_open", condition=~Q(state=TurnState.ENDED)),
            models.Index(
                fields=["follow_until"], name="turn_to_follow", condition=Q(state=TurnState.RUNNING)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.turn_id} of task {self.task_id}"

    @property
    def session(self) -> str:
        """Its session's id; a row from before the column has its agent's. Needs `agent` loaded."""
        return self.session_id or self.agent.session_id
