"""What cannot be undone asks for the password again."""

import time

from allauth.account.internal.flows.login import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.http import HttpRequest

from fleets.access import user_of


def must_be_fresh(request: HttpRequest) -> None:
    """Ask for the password again unless it was given within the last ten minutes.

    Raises `ReauthenticationRequired`, which allauth turns into its form and back to this request.
    """
    records = get_authentication_records(request, user_of(request))
    newest = max((record["at"] for record in records), default=0.0)
    if time.time() - newest > settings.ACCOUNT_REAUTHENTICATION_TIMEOUT:
        raise ReauthenticationRequired
