"""Users with their role, and the teams they are in."""

from django.contrib.auth.models import AbstractUser
from django.db import models

from fleets.domain.status import Role
from fleets.models.choices import choices_of, not_negative, one_of


class Theme(models.TextChoices):
    SYSTEM = "system", "As the system"
    LIGHT = "light", "Light"
    DARK = "dark", "Dark"


class Team(models.Model):
    """A group of people; a fleet carries the team it was launched for, for ever."""

    name = models.CharField(max_length=80, unique=True)
    slug = models.SlugField(max_length=40, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class User(AbstractUser):
    """Someone who signs in. Without a role they are a stranger and see only their own account."""

    role = models.CharField(max_length=10, choices=choices_of(Role), blank=True, default="")
    time_zone = models.CharField(max_length=64, default="UTC")
    theme = models.CharField(max_length=8, choices=Theme.choices, default=Theme.SYSTEM)
    shortcuts = models.BooleanField(default=True, help_text="Single-key shortcuts are on.")
    spend_limit_nusd = models.BigIntegerField(
        null=True, blank=True, help_text="Largest budget of one launch; empty means no limit."
    )
    teams = models.ManyToManyField(Team, blank=True, related_name="members")
    rights_number = models.PositiveIntegerField(
        default=1, help_text="Grows with every change of rights; open streams end when it moves."
    )

    class Meta:
        constraints = [
            one_of("role", Role, name="user_role_known"),
            not_negative("spend_limit_nusd", name="user_spend_limit_not_negative"),
        ]

    @property
    def is_viewer(self) -> bool:
        """May read."""
        return self.is_active and self.role in {Role.VIEWER, Role.OPERATOR, Role.ADMIN}

    @property
    def is_operator(self) -> bool:
        """May launch and stop."""
        return self.is_active and self.role in {Role.OPERATOR, Role.ADMIN}

    @property
    def is_admin(self) -> bool:
        """May do everything."""
        return self.is_active and self.role == Role.ADMIN
