"""What no text here can hold is answered in words, at every address, and changes nothing."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from fleets.domain.errors import InvalidInput
from fleets.domain.profile_refs import ProfileRef
from fleets.models import ProfileDraft
from fleets.selectors.profile_refs import resolve_profile
from tests.factories import FleetFactory
from tests.integration.cast import ROLES, Cast

pytestmark = pytest.mark.django_db

NAMES = ("a%00b", "%00")


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


def test_to_nobody_such_an_address_is_there(cast: Cast) -> None:
    cast.expect("/fleets/a%00b", "GET", dict.fromkeys(ROLES, 404))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "address",
    [
        "/fleets/{}",
        "/fleets/{}/stop",
        "/definitions/{}",
        "/operations/{}",
        "/profiles/import/{}",
        "/fleets/new?from={}",
        "/definitions/new?from={}",
    ],
)
def test_an_address_with_a_nul_is_not_there(client: Client, address: str, name: str) -> None:
    assert client.get(address.format(name)).status_code == 404


def test_a_form_with_a_nul_is_refused_and_says_why(client: Client) -> None:
    fleet = FleetFactory()
    there = reverse("fleets:fleet_launch")
    answer = client.post(there, {"name": "x", "parent": f"{fleet.public_id}\0"})
    assert answer.status_code == 400
    assert "Nothing was changed" in answer.content.decode()


@pytest.mark.parametrize("slug", ["a\0b", "a\ud800"])
def test_a_profile_of_such_a_name_is_not_there(slug: str) -> None:
    with pytest.raises(InvalidInput, match="There is no profile"):
        resolve_profile(None, ProfileRef(slug))


def test_the_editor_keeps_what_it_cannot_store_with_a_sign_in_its_place(client: Client) -> None:
    there = reverse("fleets:profile_look", args=["new"])
    answer = client.post(there, {"text": '{"name": "a\0b"}', "view": "source", "note": "n\0"})
    assert answer.status_code == 200
    assert ProfileDraft.objects.get().text == '{"name": "a\ufffdb"}'


@pytest.mark.parametrize("fix", ["9" * 5_000, "²", "-1"])
def test_a_repair_that_is_none_repairs_nothing(client: Client, fix: str) -> None:
    there = reverse("fleets:profile_look", args=["new"])
    assert client.post(there, {"text": "{}", "view": "source", "fix": fix}).status_code == 200


@pytest.mark.parametrize(
    ("address", "typed"),
    [
        ("profile_look", {"text": r'{"name": "a\ud800"}', "view": "form"}),
        ("definition_preview", {"mode": "source", "to": "form", "source": r'{"name": "a\ud800"}'}),
        ("definition_from_launch", {"agents": r'[{"agentId": "a\ud800"}]'}),
    ],
)
def test_half_a_character_is_shown_as_a_sign(
    client: Client, address: str, typed: dict[str, Any]
) -> None:
    args = ["new"] if address == "profile_look" else []
    answer = client.post(reverse(f"fleets:{address}", args=args), typed)
    assert answer.status_code == 200
    assert "a\ufffd" in answer.content.decode()
