"""Everything that somebody owns goes to somebody else in one act, from the page and the command."""

import io

import pytest
from django.core.management import call_command
from django.urls import reverse

from fleets.models import AuditEvent, Catalog, Profile
from tests.factories import ProfileFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

PAGE = reverse("fleets:hand_over")


@pytest.fixture
def cast() -> Cast:
    cast = Cast.gather()
    ProfileFactory(slug="reviewer", owner=cast.operator)
    ProfileFactory(slug="of-nobody", owner=None)
    Catalog.objects.create(name="Night", slug="night", team=cast.team, owner=cast.operator)
    return cast


def test_operators_and_admins_come_here(cast: Cast) -> None:
    cast.expect(PAGE, "GET", {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404})


def test_an_owner_sees_what_goes_and_hands_it_over_with_a_reason(cast: Cast) -> None:
    client = cast.client("operator")
    page = client.get(PAGE).content.decode()
    assert "reviewer" in page
    assert "Night" in page
    assert "of-nobody" not in page
    wanted = {"to": cast.admin.username, "reason": ""}
    refused = client.post(PAGE, wanted)
    assert refused.status_code == 422
    assert "Say why" in refused.content.decode()
    assert client.post(PAGE, {**wanted, "to": cast.viewer.username}).status_code == 422
    assert client.post(PAGE, {**wanted, "reason": "leaves"}).status_code == 303
    assert Profile.objects.get(slug="reviewer").owner == cast.admin
    assert Catalog.objects.get(slug="night").owner == cast.admin
    said = AuditEvent.objects.filter(act__endswith=".hand_over").order_by("act")
    assert [(one.act, one.reason) for one in said] == [
        ("catalog.hand_over", "leaves"),
        ("profile.hand_over", "leaves"),
    ]
    assert client.post(PAGE, {**wanted, "reason": "again"}).status_code == 409


def test_only_admins_hand_over_what_others_own(cast: Cast) -> None:
    of_others = {"from": cast.operator.username, "to": cast.admin.username, "reason": "left"}
    own = {**of_others, "from": cast.admin.username}
    assert cast.client("operator").post(PAGE, own).status_code == 403
    admin = cast.client("admin")
    assert "reviewer" in admin.get(PAGE, {"from": cast.operator.username}).content.decode()
    assert admin.post(PAGE, of_others).status_code == 303
    assert Profile.objects.get(slug="reviewer").owner == cast.admin


def test_the_command_shows_first_and_acts_with_yes(cast: Cast) -> None:
    out, err = io.StringIO(), io.StringIO()
    words = ["hand_over", cast.operator.username, cast.admin.username]
    call_command(*words, stdout=out, stderr=err)
    assert out.getvalue().splitlines() == ["profile reviewer", "catalog Night"]
    assert "2 would go to admin-1." in err.getvalue()
    assert Profile.objects.get(slug="reviewer").owner == cast.operator
    call_command(*words, "--yes", "--reason", "left", stdout=out, stderr=err)
    assert Profile.objects.get(slug="reviewer").owner == cast.admin
    with pytest.raises(SystemExit):
        call_command(*words, "--yes", "--reason", "left", stdout=out, stderr=err)
