"""What every page's frame needs: navigation, the connection, who looks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from fleets.domain.status import Role
from fleets.models import Connection, User


@dataclass(frozen=True, slots=True)
class NavItem:
    """One line of the rail. `go` is the key after `g` that leads there."""

    label: str
    url: str
    icon: str
    go: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class NavSection:
    """A headed group of lines."""

    label: str
    items: list[NavItem]


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it is written down here; `role` is the least that sees it."""

    label: str
    url_name: str
    icon: str
    go: str = ""
    role: Role = Role.VIEWER


# A new page adds its line here. The longest address that fits the request is the current one.
NAVIGATION: Final[dict[str, tuple[Line, ...]]] = {
    "Operate": (
        Line("Fleets", "fleets:fleet_list", "network", go="f"),
        Line("Launch", "fleets:fleet_new", "plus", go="n", role=Role.OPERATOR),
    ),
    "Catalog": (
        Line("Profiles", "fleets:profile_list", "book-user", go="p"),
        Line("Definitions", "fleets:definition_list", "file-cog", go="d"),
    ),
    "House": (Line("Health", "fleets:health", "activity", go="h"),),
}


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context of the page frame. Fragments pay nothing: the values are computed when used."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {}
    if not user.is_viewer:
        return {"shell_base": "base.html"}
    return {
        "shell_base": "base.html",
        "shell_nav": _once(lambda: _sections(request, user)),
        "shell_connection": _once(lambda: Connection.objects.defer("api_key").first()),
    }


def _sections(request: HttpRequest, user: User) -> list[NavSection]:
    lines = {
        section: [(line, url) for line in lines if (url := _address(line, user)) is not None]
        for section, lines in NAVIGATION.items()
    }
    fitting = [url for found in lines.values() for _, url in found if request.path.startswith(url)]
    current = max(fitting, key=len, default="")
    return [
        NavSection(
            section,
            [NavItem(line.label, url, line.icon, line.go, url == current) for line, url in found],
        )
        for section, found in lines.items()
        if found
    ]


def _address(line: Line, user: User) -> str | None:
    if line.role == Role.OPERATOR and not user.is_operator:
        return None
    if line.role == Role.ADMIN and not user.is_admin:
        return None
    try:
        return reverse(line.url_name)
    except NoReverseMatch:
        # A page that is not there yet has no line: never a dead link.
        return None


def _once(make: Callable[[], Any]) -> Callable[[], Any]:
    """The frame uses a value several times; it is computed once per request."""
    made: list[Any] = []

    def value() -> Any:
        if not made:
            made.append(make())
        return made[0]

    return value
