"""The catalog of profiles: what is kept, what is being typed, and what the platform has of it."""

import pgtrigger
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from fleets.models.connections import Connection
from fleets.models.drafts import Draft
from fleets.models.people import Team


class Catalog(models.Model):
    """A shelf of profiles: the organisation's, or one team's."""

    name = models.CharField(max_length=80)
    slug = models.SlugField(max_length=63, unique=True)
    team = models.ForeignKey(
        Team, models.PROTECT, null=True, related_name="catalogs", help_text="None: everybody's."
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="catalogs"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name


class Profile(models.Model):
    """One entry of a catalog. What it says is in its revisions.

    `slug` is the profile's id on the platform, so it is one over all catalogs. `name` to
    `search_text` are copies for lists: of the head, or of the newest draft while nothing is
    published. `newest` is the number of the last revision saved, draft or not.
    """

    catalog = models.ForeignKey(Catalog, models.PROTECT, related_name="profiles")
    slug = models.CharField(max_length=63, unique=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="profiles"
    )
    head = models.ForeignKey(
        "ProfileRevision",
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="None: nothing is published yet.",
    )
    newest = models.PositiveIntegerField(default=0)
    archived_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(help_text="Of the last revision or publication.")

    name = models.CharField(max_length=200, blank=True, default="")
    description = models.CharField(max_length=500, blank=True, default="")
    harness = models.CharField(max_length=40, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    skills = models.PositiveIntegerField(default=0)
    mcp_servers = models.PositiveIntegerField(default=0)
    texts_number = models.PositiveIntegerField(
        default=0, help_text="The head whose texts are in ProfileText; 0: none is."
    )
    search_text = models.TextField(
        blank=True, default="", help_text="Small letters: names, instructions, hosts, secrets."
    )

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(slug__regex=r"^[a-z0-9][a-z0-9-]{0,62}$"), name="profile_slug_form"
            ),
        ]
        indexes = [models.Index(fields=["-updated_at", "-id"], name="profile_recent")]

    def __str__(self) -> str:
        return self.slug


class ProfileRevision(models.Model):
    """One state of a profile, never changed: only the moment of its publication is added.

    `body` is the JSON text exactly as stored: key order kept, two spaces of indent. `digest` is of
    its canonical form (contract section 10, row 21).
    """

    profile = models.ForeignKey(Profile, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    body = models.TextField()
    digest = models.CharField(max_length=16)
    base = models.ForeignKey(
        "self", models.CASCADE, null=True, related_name="+", help_text="It was started from."
    )
    restored_from = models.ForeignKey("self", models.CASCADE, null=True, related_name="+")
    note = models.CharField(max_length=300, blank=True, default="")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="profile_revisions"
    )
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, help_text="None: a draft still.")

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["profile", "number"], name="revision_number_unique"),
            models.CheckConstraint(condition=Q(number__gte=1), name="revision_from_one"),
        ]
        indexes = [
            models.Index(fields=["digest"], name="revision_by_digest"),
            models.Index(fields=["-published_at"], name="revision_published"),
        ]
        triggers = [
            pgtrigger.Protect(name="revision_stays", operation=pgtrigger.Delete),
            pgtrigger.Protect(
                name="revision_unchanged",
                operation=pgtrigger.Update,
                condition=pgtrigger.AnyChange(exclude=["published_at"]),
            ),
            pgtrigger.Protect(
                name="revision_published_once",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__published_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"r{self.number}"


class ProfileLabel(models.Model):
    """A name that points at a revision and can be moved (`stable`)."""

    profile = models.ForeignKey(Profile, models.CASCADE, related_name="labels")
    name = models.CharField(max_length=40)
    revision = models.ForeignKey(ProfileRevision, models.CASCADE, related_name="labels")
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    set_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["profile", "name"], name="label_unique_in_profile"),
        ]

    def __str__(self) -> str:
        return self.name


class ProfileDraft(Draft):
    """What somebody is typing at a profile."""

    profile = models.ForeignKey(
        Profile, models.CASCADE, null=True, related_name="drafts", help_text="None: a new one."
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="profile_drafts"
    )
    catalog = models.ForeignKey(Catalog, models.SET_NULL, null=True, related_name="+")
    base = models.ForeignKey(ProfileRevision, models.CASCADE, null=True, related_name="+")

    class Meta(Draft.Meta):
        constraints = [
            models.UniqueConstraint(fields=["profile", "user"], name="draft_unique_per_person"),
            models.UniqueConstraint(
                fields=["user"], name="draft_of_new_unique", condition=Q(profile__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"draft of {self.profile_id or 'a new profile'} by {self.user_id}"


class ProfileExample(models.Model):
    """A task to try a profile on, with what a good answer is (`acceptance`, {} for none)."""

    profile = models.ForeignKey(Profile, models.CASCADE, related_name="examples")
    position = models.PositiveIntegerField()
    prompt = models.TextField()
    acceptance = models.JSONField(default=dict)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["profile", "position"], name="example_place_unique"),
        ]

    def __str__(self) -> str:
        return f"example {self.position} of {self.profile_id}"


class RemoteProfile(models.Model):
    """What a connection's own catalog was last seen to have under an id (contract 6.2).

    `remote_revision` None: it was looked for and is not there. `body` is the text of that revision,
    "" when it could not be kept: `problem` then says why.
    """

    connection = models.ForeignKey(Connection, models.CASCADE, related_name="remote_profiles")
    slug = models.CharField(max_length=200, default="")
    remote_revision = models.PositiveBigIntegerField(null=True)
    remote_digest = models.CharField(max_length=80, blank=True, default="")
    body = models.TextField(blank=True, default="")
    problem = models.CharField(max_length=300, blank=True, default="")
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["connection", "slug"], name="remote_unique_per_connection"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug} on {self.connection_id}"
