"""A fleet: what we want of it, and what the platform last said about it."""

from typing import Any, Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from fleets.domain.status import Afterwards, FleetState, KeyKnownBy, Origin, Pattern
from fleets.models.choices import choices_of, not_negative, one_of
from fleets.models.connections import Connection
from fleets.models.people import Team
from fleets.models.sealed import SealedField

TREE_FIELDS: Final = (
    "tree_fleets",
    "tree_agents",
    "tree_machines",
    "tree_tasks",
    "tree_completed",
    "tree_open",
    "tree_failed",
    "tree_worst",
)
_FOUND_AND_THERE: Final = models.Q(found_at__isnull=False, deleted_at__isnull=True)


class Fleet(models.Model):
    """N agents over M machines under one key.

    `public_id` is the platform's fleet id, chosen by us before the create. Fields named `*_seen_at`
    say when the platform told us; `*_requested_at` is our wish and `*_confirmed_at` the proof.
    """

    public_id = models.CharField(max_length=63, unique=True)
    name = models.CharField(max_length=80)
    team = models.ForeignKey(Team, models.PROTECT, related_name="fleets")
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="fleets")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="fleets"
    )
    origin = models.CharField(max_length=10, choices=choices_of(Origin), default=Origin.OURS)
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    is_demo = models.BooleanField(
        default=False, help_text="Written by `make demo`: nothing drives it, and it costs nothing."
    )

    # The tree: fleets never move. `path` holds the ids from the root down to this fleet.
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="children")
    root = models.ForeignKey("self", models.PROTECT, null=True, related_name="tree")
    parent_agent = models.CharField(max_length=63, blank=True, default="")
    depth = models.PositiveSmallIntegerField(default=0)
    path = ArrayField(models.BigIntegerField(), default=list)
    found_at = models.DateTimeField(null=True, help_text="Seen on the account; empty: launched.")

    # What was asked for.
    prompt = models.TextField(blank=True)
    harness = models.CharField(max_length=40)
    model = models.CharField(max_length=120)
    size = models.CharField(max_length=20)
    cpu_cores = models.PositiveIntegerField()
    memory_mib = models.PositiveIntegerField()
    disk_gib = models.PositiveIntegerField()
    budget_nusd = models.BigIntegerField(null=True)
    at_once = models.PositiveIntegerField(null=True, help_text="Empty means auto.")
    after = models.CharField(max_length=10, choices=choices_of(Afterwards))
    after_delay_s = models.PositiveIntegerField(default=1800)
    lifetime_s = models.PositiveIntegerField(default=3600)
    task_timeout_s = models.PositiveIntegerField(default=600)
    placement = models.CharField(max_length=20, default="auto")
    has_own_agents = models.BooleanField(
        default=False, help_text="Agents of a file: harness, model and profile are each its own."
    )

    definition_revision = models.ForeignKey(
        "DefinitionRevision",
        models.SET_NULL,
        null=True,
        related_name="fleets",
        help_text="It was launched from, if from one.",
    )
    machine_needs = models.JSONField(
        default=dict, blank=True, help_text="What machines get, as a definition writes it."
    )
    answer_check = models.JSONField(
        default=dict, blank=True, help_text="What a good answer is; empty: nothing is asked."
    )
    has_own_checks = models.BooleanField(
        default=False, help_text="What a good answer is differs from agent to agent."
    )
    pattern = models.CharField(max_length=10, choices=choices_of(Pattern), default=Pattern.MAP)
    is_same_session = models.BooleanField(
        default=False, help_text="Of a pool: an agent does all its tasks in its one session."
    )

    # Where it stands. `state` is derived (domain.status.fleet_state) and stored for lists.
    state = models.CharField(
        max_length=20, choices=choices_of(FleetState), default=FleetState.CREATING
    )
    state_since = models.DateTimeField()
    stop_reason = models.CharField(max_length=20, blank=True, default="")
    stop_sentence = models.CharField(max_length=300, blank=True, default="")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    work_ended_at = models.DateTimeField(null=True)
    cleanup_due_at = models.DateTimeField(null=True)
    created_on_platform_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True, help_text="No machine is being made any more.")
    last_error = models.CharField(max_length=500, blank=True, default="")

    # What operators ordered. The epoch grows with each order to stop; a turn carries the epoch
    # it was begun under, and nothing of an older epoch is dispatched.
    epoch = models.PositiveIntegerField(default=1)
    held_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    cancel_confirmed_at = models.DateTimeField(null=True)
    cut_off_requested_at = models.DateTimeField(null=True)
    cut_off_confirmed_at = models.DateTimeField(null=True)
    delete_requested_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)

    # The platform's last word on the fleet and its key.
    platform_status = models.CharField(max_length=40, blank=True, default="")
    platform_seen_at = models.DateTimeField(null=True)
    key_id = models.CharField(max_length=120, blank=True, default="")
    key_secret = SealedField(null=True)
    key_last_four = models.CharField(max_length=4, blank=True, default="")
    key_cap_nusd = models.BigIntegerField(null=True)
    spent_nusd = models.BigIntegerField(null=True)
    reserved_nusd = models.BigIntegerField(null=True)
    remaining_nusd = models.BigIntegerField(null=True)
    key_revoked_at = models.DateTimeField(null=True)
    key_seen_at = models.DateTimeField(null=True)
    key_known_by = models.CharField(
        max_length=4,
        choices=choices_of(KeyKnownBy),
        blank=True,
        default="",
        help_text="How the key of a fleet that we found was told from the account's others.",
    )
    budget_is_known = models.BooleanField(
        default=True, help_text="False: found, and none of the account's keys is known as its own."
    )
    burn_nusd_per_min = models.BigIntegerField(null=True)
    burn_base_nusd = models.BigIntegerField(null=True)
    burn_base_at = models.DateTimeField(null=True)

    # Counters of this fleet's own newest run, written in the tick's transaction.
    agents_total = models.PositiveIntegerField(default=0)
    machines_total = models.PositiveIntegerField(default=0)
    machines_running = models.PositiveIntegerField(default=0)
    tasks_total = models.PositiveIntegerField(default=0)
    tasks_queued = models.PositiveIntegerField(default=0)
    tasks_running = models.PositiveIntegerField(default=0)
    tasks_waiting = models.PositiveIntegerField(default=0)
    tasks_completed = models.PositiveIntegerField(default=0)
    tasks_failed = models.PositiveIntegerField(default=0)
    tasks_budget = models.PositiveIntegerField(default=0)
    tasks_cancelled = models.PositiveIntegerField(default=0)
    tasks_timed_out = models.PositiveIntegerField(default=0)
    tasks_not_started = models.PositiveIntegerField(default=0)
    tasks_unknown = models.PositiveIntegerField(default=0)
    # What became of the answers of those that completed; without a check none is counted.
    answers_accepted = models.PositiveIntegerField(default=0)
    answers_refused = models.PositiveIntegerField(default=0)
    answers_waiting = models.PositiveIntegerField(default=0)

    # Of this fleet and everything below it; written by services.tree_counts alone. They count for
    # a fleet that has children, the others are told by their own figures.
    tree_fleets = models.PositiveIntegerField(default=1)
    tree_agents = models.PositiveIntegerField(default=0)
    tree_machines = models.PositiveIntegerField(default=0)
    tree_tasks = models.PositiveIntegerField(default=0)
    tree_completed = models.PositiveIntegerField(default=0)
    tree_open = models.PositiveIntegerField(default=0)
    tree_failed = models.PositiveIntegerField(default=0)
    tree_worst = models.CharField(
        max_length=20, blank=True, default="", help_text="The worst state below it; empty: none."
    )

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            one_of("state", FleetState, name="fleet_state_known"),
            one_of("after", Afterwards, name="fleet_after_known"),
            one_of("pattern", Pattern, name="fleet_pattern_known"),
            not_negative(
                "budget_nusd",
                "key_cap_nusd",
                "spent_nusd",
                "reserved_nusd",
                "remaining_nusd",
                name="fleet_money_not_negative",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "-created_at"], name="fleet_state_recent"),
            models.Index(fields=["owner", "-created_at"], name="fleet_owner_recent"),
            models.Index(fields=["cleanup_due_at"], name="fleet_cleanup_due"),
            models.Index(fields=["found_at"], name="fleet_found", condition=_FOUND_AND_THERE),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.public_id})"

    @property
    def checks_answers(self) -> bool:
        """Whether anything is asked of its answers."""
        return bool(self.answer_check) or self.has_own_checks

    def save(self, **options: Any) -> None:
        """Write the row without the tree's figures: what its children counted meanwhile stays."""
        if self.pk and options.get("update_fields") is None and not options.get("force_insert"):
            options["update_fields"] = _OWN_FIELDS
        super().save(**options)


_OWN_FIELDS = [
    field.name
    for field in Fleet._meta.concrete_fields
    if not field.primary_key and field.name not in TREE_FIELDS
]
