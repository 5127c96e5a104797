"""What accounts may do by themselves: nobody signs up, admins make users."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedSignup(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """Sign-up is closed."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
