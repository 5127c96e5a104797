"""Finds the fleet that a command names, and where its page is."""

from django.conf import settings
from django.urls import reverse

from fleets.domain.errors import InvalidInput, Moved
from fleets.models import Fleet, Operation


def find_fleet(ident: str) -> Fleet:
    """The fleet with this id, or the only living one of this name. Raises InvalidInput at `ID`."""
    fleets = Fleet.objects.select_related("owner", "team")
    fleet = fleets.filter(public_id=ident).first()
    if fleet is not None:
        return fleet
    named = list(fleets.filter(name=ident, deleted_at__isnull=True)[:2])
    if len(named) == 1:
        return named[0]
    if named:
        raise InvalidInput.at("ID", f"Several fleets are called {ident!r}: give one's id.")
    raise InvalidInput.at("ID", f"There is no fleet {ident!r}: `fleet list` shows them.")


def page_of(fleet: Fleet) -> str:
    """The address of the fleet's page."""
    return f"{settings.BASE_URL}{reverse('fleets:fleet_detail', args=[fleet.public_id])}"


def page_of_operation(operation: Operation) -> str:
    """The address of the operation's page."""
    path = reverse("fleets:operation_detail", args=[operation.public_id])
    return f"{settings.BASE_URL}{path}"


def page_of_difference(moved: Moved) -> str:
    """The address of the page that shows what differs."""
    path = reverse("fleets:profile_diff", args=[moved.slug])
    return f"{settings.BASE_URL}{path}?a={moved.before}&b={moved.after}"
