"""Trials: two revisions of a profile over its examples, in a fleet of their own."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from fleets.models.fleets import Fleet
from fleets.models.profiles import Profile, ProfileRevision


class ProfileTrial(models.Model):
    """One trial. What came of it stands on the tasks of its fleet's first run, an agent for each
    example and side (`domain.profile_trial.place_of`), and stays when the machines are gone.

    `examples` holds them as they stood: [{prompt, acceptance}, …]; `asked` counts those that say
    what a good answer is.
    """

    profile = models.ForeignKey(Profile, models.CASCADE, related_name="trials")
    revision = models.ForeignKey(ProfileRevision, models.CASCADE, related_name="trials")
    against = models.ForeignKey(ProfileRevision, models.CASCADE, related_name="+")
    fleet = models.OneToOneField(Fleet, models.CASCADE, related_name="trial")
    examples = models.JSONField(default=list)
    count = models.PositiveSmallIntegerField()
    asked = models.PositiveSmallIntegerField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="profile_trials"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(revision=F("against")), name="trial_of_two"),
        ]
        indexes = [models.Index(fields=["profile", "-created_at"], name="trial_recent")]

    def __str__(self) -> str:
        return f"trial {self.pk} of {self.profile_id}"
