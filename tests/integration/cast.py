"""The whole cast: everybody who may come to an address, and what each must get there.

    cast.expect(url, "GET", {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404})

Somebody who is not signed in is always sent to the login (under HTMX with `HX-Redirect`), unless
`nobody` is said otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import resolve_url
from django.test import Client

from fleets.domain.status import Role
from fleets.models import Team, User
from tests.factories import TeamFactory, UserFactory

NOBODY: Final = "nobody"
ROLES: Final = ("admin", "operator", "viewer", "stranger")


@dataclass(frozen=True, slots=True)
class Cast:
    """One person of each role, all in one team."""

    admin: User
    operator: User
    viewer: User
    stranger: User
    team: Team

    @classmethod
    def gather(cls) -> "Cast":
        """Make the people."""
        team = TeamFactory(name="review", slug="review")
        people = {
            name: UserFactory(
                username=f"{name}-1",
                role=Role.STRANGER if name == "stranger" else Role(name),
                teams=[team],
            )
            for name in ROLES
        }
        return cls(team=team, **people)

    def person(self, who: str) -> User | None:
        """The one of that role; None for `nobody`."""
        found: User | None = None if who == NOBODY else getattr(self, who)
        return found

    def client(self, who: str) -> Client:
        """A browser of that person; `nobody` is not signed in."""
        client = Client()
        person = self.person(who)
        if person is not None:
            client.force_login(person, settings.AUTHENTICATION_BACKENDS[0])
        return client

    def expect(
        self,
        url: str,
        method: str,
        statuses: Mapping[str, int],
        *,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Every role must be named in `statuses`; each gets that status, nobody the login."""
        assert set(statuses) - {NOBODY} == set(ROLES), "name every role of the cast"
        for who in ROLES:
            got = _ask(self.client(who), url, method, data)
            assert got.status_code == statuses[who], f"{who} got {got.status_code} at {url}"
        self._expect_nobody(url, method, statuses.get(NOBODY), data=data)

    def _expect_nobody(
        self, url: str, method: str, status: int | None, *, data: Mapping[str, Any] | None
    ) -> None:
        login = resolve_url(settings.LOGIN_URL)
        plain = _ask(self.client(NOBODY), url, method, data)
        if status is not None:
            assert plain.status_code == status, f"nobody got {plain.status_code} at {url}"
            return
        assert plain.status_code == 302, f"nobody got {plain.status_code} at {url}"
        assert plain.headers["Location"].startswith(login)
        under_htmx = _ask(self.client(NOBODY), url, method, data, {"HX-Request": "true"})
        assert under_htmx.headers["HX-Redirect"].startswith(login)


def _ask(
    client: Client,
    url: str,
    method: str,
    data: Mapping[str, Any] | None,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    ask: Any = {"GET": client.get, "POST": client.post, "HEAD": client.head}[method]
    response: HttpResponse = ask(url, data or {}, headers=headers)
    return response
