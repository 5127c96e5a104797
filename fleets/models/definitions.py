"""Recipes of fleets that are kept: definitions, their revisions, and the rows stored with them."""

import pgtrigger
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from fleets.models.choices import not_negative
from fleets.models.drafts import Draft


class StoredRows(models.Model):
    """A CSV file as it was uploaded, with how it is read. The same file read alike is one row."""

    digest = models.CharField(max_length=32, unique=True)
    data = models.BinaryField()
    file_name = models.CharField(max_length=200, blank=True, default="")
    delimiter = models.CharField(max_length=1, blank=True, default="")
    encoding = models.CharField(max_length=20)
    columns = ArrayField(models.CharField(max_length=90))
    count = models.PositiveIntegerField()
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        verbose_name_plural = "stored rows"

    def __str__(self) -> str:
        return self.file_name or self.digest[:8]


class Definition(models.Model):
    """A recipe of fleets. What it says is in its revisions; the newest is what is launched.

    `name` to `profile_slugs` are copies of the head's for lists and searches.
    """

    slug = models.CharField(max_length=63, unique=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="definitions"
    )
    head = models.ForeignKey("DefinitionRevision", models.PROTECT, null=True, related_name="+")
    cloned_from = models.ForeignKey("self", models.SET_NULL, null=True, related_name="clones")
    archived_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(help_text="Of the last revision.")

    name = models.CharField(max_length=80)
    description = models.CharField(max_length=500, blank=True, default="")
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    shape = models.CharField(max_length=120, blank=True, default="")
    agents_count = models.PositiveIntegerField(
        null=True, help_text="None: the rows of a launch decide."
    )
    budget_nusd = models.BigIntegerField(null=True)
    profile_slugs = ArrayField(models.CharField(max_length=63), default=list, blank=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(slug__regex=r"^[a-z0-9][a-z0-9-]{0,62}$"), name="definition_slug_form"
            ),
            not_negative("budget_nusd", name="definition_money_not_negative"),
        ]
        indexes = [models.Index(fields=["-updated_at", "-id"], name="definition_recent")]

    def __str__(self) -> str:
        return self.slug


class DefinitionRevision(models.Model):
    """One state of a definition, never changed.

    `body` is the JSON text exactly as stored: key order kept, two spaces of indent. `rows` are
    stored with it, None where it has none or asks for them at the launch.
    """

    definition = models.ForeignKey(Definition, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    body = models.TextField()
    digest = models.CharField(max_length=16)
    rows = models.ForeignKey(StoredRows, models.PROTECT, null=True, related_name="revisions")
    base = models.ForeignKey(
        "self", models.CASCADE, null=True, related_name="+", help_text="It was started from."
    )
    restored_from = models.ForeignKey("self", models.CASCADE, null=True, related_name="+")
    note = models.CharField(max_length=300, blank=True, default="")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="definition_revisions"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["definition", "number"], name="definition_revision_unique"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="definition_revision_from_one"),
        ]
        triggers = [
            pgtrigger.Protect(name="definition_revision_stays", operation=pgtrigger.Delete),
            pgtrigger.Protect(name="definition_revision_unchanged", operation=pgtrigger.Update),
        ]

    def __str__(self) -> str:
        return f"r{self.number}"


class DefinitionDraft(Draft):
    """What somebody is typing at a definition; `is_form`: in the form, else as source."""

    definition = models.ForeignKey(
        Definition, models.CASCADE, null=True, related_name="drafts", help_text="None: a new one."
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="definition_drafts"
    )
    base = models.ForeignKey(DefinitionRevision, models.CASCADE, null=True, related_name="+")
    is_form = models.BooleanField(default=True)

    class Meta(Draft.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["definition", "user"], name="definition_draft_unique_per_person"
            ),
            models.UniqueConstraint(
                fields=["user"],
                name="definition_draft_of_new_unique",
                condition=Q(definition__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"draft of {self.definition_id or 'a new definition'} by {self.user_id}"
