"""What every page's frame needs: navigation, the connection's name, who looks."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from fleets.models import Connection


@dataclass(frozen=True, slots=True)
class NavItem:
    """One line of the rail."""

    label: str
    url: str
    icon: str
    is_current: bool


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context of the page frame. Fragments pay nothing: the values are computed when used."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated or not user.is_viewer:
        return {}

    def nav() -> list[NavItem]:
        items = [("Fleets", "fleets:fleet_list", "network")]
        return [
            NavItem(label, reverse(name), icon, request.path.startswith(reverse(name)))
            for label, name, icon in items
        ]

    def connection_name() -> str:
        first = Connection.objects.only("name").first()
        return first.name if first else ""

    return {"shell_nav": nav, "shell_connection_name": connection_name}
