"""What accounts may do by themselves: nobody signs up, admins make users; leaving ends it all."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from fleets.live import publish
from fleets.live.channels import rights_topic
from fleets.models import User


class ClosedSignup(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """Sign-up is closed. Whoever signs out or changes the password leaves no stream open."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def logout(self, request: HttpRequest) -> None:
        user = request.user
        super().logout(request)
        _end_streams(user)

    def set_password(self, user: User, password: str) -> None:
        super().set_password(user, password)
        _end_streams(user)


def _end_streams(user: object) -> None:
    """Streams of sessions that still hold come back by themselves; the others are refused."""
    if isinstance(user, User):
        publish(rights_topic(user.pk), {"kind": "rights"})
