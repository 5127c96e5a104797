"""Texts that the heads of profiles bring along, by their content: what several of them share."""

from django.db import models

from fleets.models.profiles import Profile


class ProfileText(models.Model):
    """One inline text of a profile's head: a skill, a file or the like.

    Rows are replaced when the head moves (`Profile.texts_number` says of which head they are).
    `digest` is of the text with its line ends made alike; the text itself is in the revision.
    """

    profile = models.ForeignKey(Profile, models.CASCADE, related_name="texts")
    kind = models.CharField(max_length=12)
    name = models.CharField(max_length=200)
    digest = models.CharField(max_length=32)
    size_bytes = models.PositiveIntegerField()

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["digest"], name="text_by_digest"),
            models.Index(fields=["name"], name="text_by_name"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"
