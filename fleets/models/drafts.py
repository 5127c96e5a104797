"""What people are typing, kept while they type."""

from django.db import models


class Syntax(models.TextChoices):
    """How a document is written down."""

    JSON = "json", "JSON"
    YAML = "yaml", "YAML"


class Draft(models.Model):
    """A text under way, kept until it is saved or discarded. One per person and thing."""

    text = models.TextField()
    syntax = models.CharField(max_length=4, choices=Syntax.choices, default=Syntax.JSON)
    note = models.CharField(max_length=300, blank=True, default="")
    began_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        abstract = True
        ordering = ["-updated_at"]
