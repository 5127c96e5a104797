"""A session that ends under an open page: what was pressed is not sent, and nothing is lost."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from fleets.models import Fleet, Operation
from tests.factories import PASSWORD, FleetFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

TYPED = {"reason": "looping on captcha & worse", "stop_machines": "on"}
ORIGIN = "http://testserver"


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def fleet(cast: Cast) -> Fleet:
    made: Fleet = FleetFactory(name="price-crawl", owner=cast.operator)
    return made


def act(name: str, fleet: Fleet) -> str:
    return reverse(f"fleets:{name}", args=[fleet.public_id])


def signed_in_again(client: Client, cast: Cast, login: str) -> Any:
    """Give the password at the address of the login; the page that follows."""
    following = parse_qs(urlsplit(login).query)["next"][0]
    data = {"login": cast.operator.username, "password": PASSWORD, "next": following}
    return client.post(reverse("account_login"), data, follow=True)


@pytest.mark.parametrize("name", ["fleet_hold", "fleet_cut_off", "fleet_cancel"])
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true", "Page-Stays": "true"}])
def test_a_stop_comes_back_to_its_sheet_with_reason_and_strength(
    cast: Cast, fleet: Fleet, name: str, headers: dict[str, str]
) -> None:
    client = Client()
    answer = client.post(act(name, fleet), TYPED, headers=headers)
    login = answer.headers.get("HX-Redirect") or answer.headers["Location"]
    assert "nothing was sent" in client.get(login).content.decode()

    page = signed_in_again(client, cast, login)
    html = page.content.decode()
    assert page.status_code == 200
    assert page.request["PATH_INFO"] == act("fleet_stop", fleet)
    assert 'value="looping on captcha &amp; worse"' in html
    assert f'id="s-{name.removeprefix("fleet_")}"' in html
    assert page.context["chosen"] in {
        name.removeprefix("fleet_"),
        page.context["sheet"].preselected,
    }
    assert "It was not sent: you were signed out." in html
    assert not Operation.objects.exists()


def test_the_whole_cast_finds_the_sheet_with_what_was_typed(cast: Cast, fleet: Fleet) -> None:
    url = act("fleet_stop", fleet) + "?strength=hold&reason=why"
    cast.expect(url, "GET", {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404})


def test_the_chosen_strength_is_chosen_again(cast: Cast, fleet: Fleet) -> None:
    page = cast.client("operator").get(act("fleet_stop", fleet) + "?strength=cancel&reason=why")
    assert page.context["chosen"] == "cancel"


def test_a_deletion_comes_back_with_its_reason(cast: Cast, fleet: Fleet) -> None:
    client = Client()
    answer = client.post(act("fleet_delete", fleet), {"reason": "no longer needed"})
    page = signed_in_again(client, cast, answer.headers["Location"])
    assert page.status_code == 200
    assert 'value="no longer needed"' in page.content.decode()


def test_any_other_act_leads_back_to_the_page_it_came_from(cast: Cast, fleet: Fleet) -> None:
    client = Client()
    came_from = act("fleet_detail", fleet) + "?tab=settings"
    answer = client.post(
        act("fleet_afterwards", fleet), {"after": "keep"}, headers={"Referer": ORIGIN + came_from}
    )
    page = signed_in_again(client, cast, answer.headers["Location"])
    assert page.status_code == 200
    assert f"{page.request['PATH_INFO']}?{page.request['QUERY_STRING']}" == came_from
    assert "It was not sent: you were signed out." in page.content.decode()


@pytest.mark.parametrize("elsewhere", ["https://elsewhere.example/x", "//elsewhere.example", ""])
def test_the_way_back_never_leads_elsewhere(fleet: Fleet, elsewhere: str) -> None:
    answer = Client().post(act("fleet_afterwards", fleet), headers={"Referer": elsewhere})
    assert parse_qs(urlsplit(answer.headers["Location"]).query)["next"] == ["/"]


@pytest.mark.parametrize("cookies", ["session", "both"])
def test_a_page_that_asks_by_itself_is_told_and_never_sent_away(cookies: str) -> None:
    client = Client(enforce_csrf_checks=cookies == "both")
    headers = {"HX-Request": "true", "Page-Stays": "true"}
    answer = client.post(reverse("fleets:fleet_preview"), {"name": "a"}, headers=headers)
    assert answer.status_code == 401
    assert "HX-Redirect" not in answer.headers


def test_an_old_seal_brings_a_new_one_and_is_not_called_a_missing_right(cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.operator, "django.contrib.auth.backends.ModelBackend")
    answer = client.post(reverse("fleets:fleet_preview"), headers={"HX-Request": "true"})
    assert answer.status_code == 403
    assert answer.headers["Form-Too-Old"] == "true"
    assert "csrftoken" in answer.cookies


def test_a_stop_with_an_old_seal_comes_back_to_its_sheet(cast: Cast, fleet: Fleet) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.operator, "django.contrib.auth.backends.ModelBackend")
    page: Any = client.post(act("fleet_hold", fleet), TYPED, follow=True)
    assert page.request["PATH_INFO"] == act("fleet_stop", fleet)
    assert page.context["chosen"] == "hold"
    assert 'value="looping on captcha &amp; worse"' in page.content.decode()


@pytest.mark.parametrize(
    ("act", "typed", "form"),
    [
        ("examples/add", {"prompt": "Read it."}, "example"),
        ("examples/7/save", {"prompt": "Read it."}, "example?example=7"),
    ],
)
def test_an_example_comes_back_to_its_form(act: str, typed: dict[str, str], form: str) -> None:
    answer = Client().post(f"/profiles/code-reviewer/{act}", typed)
    there = parse_qs(urlsplit(answer.headers["Location"]).query)["next"]
    assert there == [f"/profiles/code-reviewer/{form}"]


def test_a_bulk_change_comes_back_to_the_same_profiles_and_never_to_more() -> None:
    typed = {"slug": ["a", "b"], "kind": "add_tag", "add_tag_new": "x", "seen": "a:1 b:1"}
    answer = Client().post(reverse("fleets:profile_bulk_confirm"), typed)
    there = parse_qs(urlsplit(answer.headers["Location"]).query)["next"]
    assert there == ["/profiles/bulk?slug=a&slug=b&kind=add_tag"]


def test_a_refused_launch_comes_back_to_the_launch_form() -> None:
    address = reverse("fleets:fleet_launch")
    answer = Client().post(address, headers={"Referer": f"{ORIGIN}{address}"})
    assert parse_qs(urlsplit(answer.headers["Location"]).query)["next"] == ["/fleets/new"]


def test_an_address_that_only_takes_forms_says_so_and_leads_to_its_page(cast: Cast) -> None:
    for who in ("operator", "nobody"):
        page = cast.client(who).get("/profiles/bulk/confirm")
        assert (page.status_code, page.headers["Allow"]) == (405, "POST")
        assert "only takes what a form sends" in page.content.decode()
        assert 'href="/profiles/bulk"' in page.content.decode()
