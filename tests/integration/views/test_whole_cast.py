"""Every address with the whole cast, from the guard that its view carries.

The tests of each view say more; this one forgets nobody and no address.
"""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import NoReverseMatch, URLPattern, get_resolver, reverse

from fleets.models import Task
from tests.browser.pages import NO_PAGES, PAGES, PUBLIC, Kind, Page
from tests.browser.world import World, make_world
from tests.integration.cast import NOBODY, ROLES, Cast

pytestmark = pytest.mark.django_db

LADDER = ("stranger", "viewer", "operator", "admin")
ACTS = sorted(name for name, kind in NO_PAGES.items() if kind is Kind.ACT)
DOWNLOADS = sorted(name for name, kind in NO_PAGES.items() if kind is Kind.DOWNLOAD)
GUARDED_PAGES = [
    page
    for page in PAGES
    if page.url_name not in PUBLIC and page.status == 200 and page.act is None
]
# Deleting asks for the password again, and operators delete only what is theirs.
ASKS_AGAIN = {"fleets:fleet_delete", "fleets:profile_delete", "fleets:definition_delete"}


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def world(cast: Cast) -> World:
    return make_world(cast.team, cast.operator)


def _refused(least: str) -> dict[str, int]:
    """What those get who stand below `least`: strangers 404, others 403."""
    below = LADDER[: LADDER.index(least)]
    return {who: 404 if who == "stranger" else 403 for who in below}


def _guard(name: str) -> str:
    """The least role, as the view itself says it; strangers may where signing in is enough."""
    key = name.removeprefix("fleets:")
    _, resolver = get_resolver().namespace_dict["fleets"]
    entries = (entry for entry in resolver.url_patterns if isinstance(entry, URLPattern))
    (view,) = (entry.callback for entry in entries if entry.name == key)
    guard = str(getattr(view, "guard"))  # noqa: B009  # functions have no such attribute by type
    return "stranger" if guard == "signed_in" else guard


def _address(name: str, world: World) -> str:
    known = {
        "public_id": (world.operation if "operation" in name else world.fleet).public_id,
        "agent_id": world.agent.agent_id,
        "kind": "csv",
        "import_id": world.import_id,
        "bulk_id": world.bulk_id,
        "digest": world.text_digest,
        "slug": (world.definition if "definition" in name else world.profile).slug,
        "syntax": "json",
        "example": world.example_pk,
        "trial": world.trial_pk,
        "turn": world.turn_pk,
        "event": world.event,
        "task": Task.objects.get(turns=world.turn_pk).pk,
    }
    agent = ("public_id", "agent_id")
    ways = (
        (),
        ("slug",),
        ("import_id",),
        ("bulk_id",),
        ("digest",),
        ("slug", "syntax"),
        ("slug", "example"),
        ("slug", "trial", "task"),
        ("public_id",),
        agent,
        ("public_id", "kind"),
        ("public_id", "task"),
        (*agent, "turn", "event"),
    )
    for wanted in ways:
        try:
            return reverse(name, kwargs={key: known[key] for key in wanted})
        except NoReverseMatch:
            continue
    raise AssertionError(f"say how to reach {name}")


@pytest.mark.parametrize("page", GUARDED_PAGES, ids=lambda page: page.name)
def test_a_page_opens_for_its_role_and_those_above(page: Page, cast: Cast, world: World) -> None:
    least = _guard(page.url_name)
    allowed = 302 if page.url_name in ASKS_AGAIN else 200
    statuses = dict.fromkeys(ROLES, allowed) | _refused(least)
    cast.expect(page.path(world), "GET", statuses)


@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_refused_below_its_role_and_never_done_by_a_link(
    name: str, cast: Cast, world: World
) -> None:
    address = _address(name, world)
    for who, status in _refused(_guard(name)).items():
        assert cast.client(who).post(address).status_code == status, f"{who} at {name}"
    assert cast.client(NOBODY).post(address).status_code == 302
    for who in ROLES:
        assert cast.client(who).get(address).status_code == 405, f"{who} at {name}"


def test_a_refused_form_that_is_sent_when_signed_out_leads_to_a_page(
    cast: Cast, world: World
) -> None:
    leads = {}
    for name in ACTS:
        # What is refused stands at the address that it was sent to.
        address = _address(name, world)
        headers = {"Referer": f"http://testserver{address}"}
        login = cast.client(NOBODY).post(address, headers=headers).headers["Location"]
        leads[parse_qs(urlsplit(login).query)["next"][0]] = name
    for there, name in leads.items():
        assert cast.client("admin").get(there).status_code in (200, 302), f"{there} after {name}"


@pytest.mark.parametrize("name", DOWNLOADS)
def test_a_download_is_a_file_for_its_role_and_those_above(
    name: str, cast: Cast, world: World
) -> None:
    address = _address(name, world)
    cast.expect(address, "GET", dict.fromkeys(ROLES, 200) | _refused(_guard(name)))
    answer = cast.client("viewer").get(address)
    assert answer.headers["Content-Disposition"].startswith("attachment")


def test_the_bare_address_leads_to_the_fleets(cast: Cast) -> None:
    for who in (*ROLES, NOBODY):
        answer = cast.client(who).get(reverse("fleets:home"))
        assert answer.headers["Location"] == reverse("fleets:fleet_list")


def test_the_probes_answer_anybody_with_nothing_secret(cast: Cast) -> None:
    for name in ("health_live", "health_ready"):
        answer = cast.client(NOBODY).get(reverse(name))
        assert set(json.loads(answer.content)) <= {"status", "database", "redis"}
