"""The own account, the sign-in pages, and what people get where they may not go."""

import pytest
from django.test import Client
from django.urls import reverse

from fleets.models import AuditEvent, User
from tests.factories import PASSWORD
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

EVERYBODY = ("admin", "operator", "viewer", "stranger")
CHOSEN = {"time_zone": "Europe/Berlin", "theme": "dark", "shortcuts": ""}


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


def test_everybody_who_is_signed_in_has_an_account_page(cast: Cast) -> None:
    cast.expect(reverse("fleets:account"), "GET", dict.fromkeys(EVERYBODY, 200))


def test_a_stranger_is_told_that_a_role_is_missing(cast: Cast) -> None:
    page = cast.client("stranger").get(reverse("fleets:account")).content.decode()
    assert "You have no role yet." in page
    assert 'data-go="f"' not in page


def test_preferences_are_kept_and_audited(cast: Cast) -> None:
    client = cast.client("viewer")
    response = client.post(reverse("fleets:account"), CHOSEN)
    assert response.status_code == 303
    user = User.objects.get(pk=cast.viewer.pk)
    assert (user.time_zone, user.theme, user.shortcuts) == ("Europe/Berlin", "dark", False)
    row = AuditEvent.objects.get(act="preferences", actor=user)
    assert row.before == {"time_zone": "UTC", "theme": "system", "shortcuts": True}
    page = client.get(reverse("fleets:account")).content.decode()
    assert 'data-theme="dark"' in page
    assert 'data-zone="Europe/Berlin"' in page
    assert "data-shortcuts" not in page


def test_choosing_what_is_already_chosen_leaves_no_trace(cast: Cast) -> None:
    cast.client("viewer").post(reverse("fleets:account_theme"), {"theme": "system"})
    assert not AuditEvent.objects.filter(act="preferences").exists()


def test_a_zone_that_does_not_exist_is_named_in_the_form(cast: Cast) -> None:
    response = cast.client("viewer").post(
        reverse("fleets:account"), {**CHOSEN, "time_zone": "Mars/Olympus"}
    )
    assert response.status_code == 422
    assert 'href="#id_time_zone"' in response.content.decode()
    assert User.objects.get(pk=cast.viewer.pk).time_zone == "UTC"


def test_the_theme_switch_goes_back_to_its_page_and_never_to_another_host(cast: Cast) -> None:
    client, url = cast.client("viewer"), reverse("fleets:account_theme")
    back = client.post(url, {"theme": "light", "next": "/fleets/?state=failed"})
    away = client.post(url, {"theme": "light", "next": "https://example.org/"})
    assert back["Location"] == "/fleets/?state=failed"
    assert away["Location"] == reverse("fleets:account")


def test_an_unknown_theme_changes_nothing(cast: Cast) -> None:
    cast.client("viewer").post(reverse("fleets:account_theme"), {"theme": "pink"})
    assert User.objects.get(pk=cast.viewer.pk).theme == "system"


def test_signing_in_with_the_right_password_leads_into_the_house(cast: Cast) -> None:
    client = Client()
    response = client.post(
        reverse("account_login"), {"login": cast.viewer.username, "password": PASSWORD}
    )
    assert response.status_code == 302
    assert response["Location"] == reverse("fleets:fleet_list")


def test_a_wrong_password_says_no_more_than_that_the_pair_does_not_match(cast: Cast) -> None:
    answers = [
        Client().post(reverse("account_login"), {"login": name, "password": "wrong"}).content
        for name in (cast.viewer.username, "nobody-at-all")
    ]
    assert all(b"do not match, or the account is locked" in answer for answer in answers)


@pytest.mark.parametrize("name", ["account_reauthenticate", "account_change_password"])
def test_the_password_pages_render(cast: Cast, name: str) -> None:
    response = cast.client("viewer").get(reverse(name))
    assert response.status_code == 200
    assert b"autocomplete" in response.content


def test_signing_out_asks_first_and_then_does_it(cast: Cast) -> None:
    client = cast.client("viewer")
    assert b"Sign out?" in client.get(reverse("account_logout")).content
    client.post(reverse("account_logout"))
    assert client.get(reverse("fleets:account")).status_code == 302


def test_nobody_can_sign_up(cast: Cast) -> None:
    assert b"Sign-up is closed" in Client().get(reverse("account_signup")).content


def test_what_is_not_there_quotes_a_reference(cast: Cast) -> None:
    response = cast.client("viewer").get("/nothing/here")
    assert response.status_code == 404
    assert response["X-Request-Id"] in response.content.decode()


def test_a_form_without_its_seal_is_refused_in_words(cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.viewer, "django.contrib.auth.backends.ModelBackend")
    response = client.post(reverse("fleets:account"), CHOSEN)
    assert response.status_code == 403
    assert b"This form was too old" in response.content


def test_a_viewer_has_no_line_for_launching(cast: Cast) -> None:
    url = reverse("fleets:account")
    assert 'data-go="n"' not in cast.client("viewer").get(url).content.decode()
    assert 'data-go="n"' in cast.client("operator").get(url).content.decode()
