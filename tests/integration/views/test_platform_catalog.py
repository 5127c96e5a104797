"""The pages of the platform's catalog: what stands where, ordered by plain forms."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fleets.models import (
    Catalog,
    CatalogOrder,
    Connection,
    Profile,
    ProfileImport,
    RemoteProfile,
)
from fleets.platform_api.answers.profiles import SavedProfile
from fleets.services.actor import SYSTEM
from fleets.services.catalog_orders import order_reading
from fleets.services.remote_profiles import take_saved
from tests.factories import ConnectionFactory, ProfileFactory, TeamFactory
from tests.integration.cast import Cast
from tests.support.markup import one_line

pytestmark = pytest.mark.django_db

PAGE = reverse("fleets:profile_platform")


@pytest.fixture
def connection() -> Connection:
    made: Connection = ConnectionFactory(catalog_read_at=timezone.now())
    return made


@pytest.fixture
def operator() -> Client:
    return Cast.gather().client("operator")


@pytest.fixture
def profile() -> Profile:
    made: Profile = ProfileFactory(slug="reviewer", body={"name": "Reviewer"})
    return made


def there(connection: Connection, slug: str, number: int, **body: Any) -> None:
    take_saved(connection, SavedProfile(slug, number, body), now=timezone.now())


def test_everybody_reads_it_and_operators_order(connection: Connection, profile: Profile) -> None:
    cast = Cast.gather()
    publish = reverse("fleets:profile_platform_publish", args=["reviewer"])
    cast.expect(PAGE, "GET", {"admin": 200, "operator": 200, "viewer": 200, "stranger": 404})
    assert cast.client("viewer").post(publish).status_code == 403
    assert "Publish r1" in cast.client("operator").get(PAGE).content.decode()
    assert "Publish r1" not in cast.client("viewer").get(PAGE).content.decode()


def test_a_publication_and_a_reading_are_ordered_once(
    operator: Client, connection: Connection, profile: Profile
) -> None:
    publish = reverse("fleets:profile_platform_publish", args=["reviewer"])
    assert operator.post(publish, {"base": ""}).status_code == 303
    assert operator.post(publish, {"base": ""}).status_code == 409
    for _ in range(2):
        assert operator.post(reverse("fleets:profile_platform_read")).status_code == 303
    assert sorted(CatalogOrder.objects.values_list("act", flat=True)) == ["publish", "read"]
    assert "Under way." in operator.get(PAGE).content.decode()


def test_a_revision_that_moved_is_refused_with_the_difference(
    operator: Client, connection: Connection, profile: Profile
) -> None:
    there(connection, "reviewer", 4, name="Theirs")
    publish = reverse("fleets:profile_platform_publish", args=["reviewer"])
    refused = operator.post(publish, {"base": "3"})
    text = refused.content.decode()
    assert refused.status_code == 409
    assert "has r4 by now" in text
    assert "Theirs" in text
    assert operator.post(publish, {"base": "4"}).status_code == 303


def test_what_is_chosen_is_pulled_into_an_import(operator: Client, connection: Connection) -> None:
    there(connection, "theirs", 2, name="Theirs")
    pull = reverse("fleets:profile_platform_pull")
    answer = operator.post(pull, {"slug": ["theirs"]})
    kept = ProfileImport.objects.get()
    assert answer.headers["Location"].endswith(kept.public_id)
    assert operator.post(pull, {}).status_code == 422


def test_the_list_and_the_page_say_how_it_stands(
    operator: Client, connection: Connection, profile: Profile
) -> None:
    page = reverse("fleets:profile_detail", args=["reviewer"])
    assert "not there" in operator.get(page).content.decode()
    there(connection, "reviewer", 4, name="Theirs")
    assert "changed on the platform, r4" in operator.get(page).content.decode()
    listed = operator.get(reverse("fleets:profile_list")).content.decode()
    assert "changed on the platform" in listed


def test_without_a_connection_the_page_says_so(operator: Client) -> None:
    assert "No platform account" in operator.get(PAGE).content.decode()


def test_what_was_not_read_for_long_is_unknown_and_says_why(
    operator: Client, connection: Connection, profile: Profile
) -> None:
    there(connection, "reviewer", 4, name="Theirs")
    order = order_reading(connection, actor=SYSTEM)
    refused = "The platform does not answer (503); trying again."
    CatalogOrder.objects.filter(pk=order.pk).update(failures=2, sentence=refused)
    page = operator.get(PAGE).content.decode()
    assert "changed on the platform" in page
    assert refused in page
    past = timezone.now() - timedelta(minutes=16)
    Connection.objects.update(catalog_read_at=past)
    RemoteProfile.objects.update(seen_at=past)
    page = one_line(operator.get(PAGE))
    assert "how profiles stand is not known" in page
    assert "changed on the platform" not in page
    listed = operator.get(reverse("fleets:profile_list")).content.decode()
    assert "changed on the platform" not in listed
    detail = operator.get(reverse("fleets:profile_detail", args=["reviewer"])).content.decode()
    assert "last read" in detail


def test_what_is_pulled_goes_to_the_catalog_that_is_chosen_if_the_person_may(
    connection: Connection,
) -> None:
    there(connection, "theirs", 2, name="Theirs")
    cast = Cast.gather()
    own = Catalog.objects.create(name="Review", slug="review", team=cast.team)
    other = Catalog.objects.create(name="Other", slug="other", team=TeamFactory())
    client = cast.client("operator")
    page = client.get(PAGE).content.decode()
    assert '<option value="review"' in page
    assert '<option value="other"' not in page
    pull = reverse("fleets:profile_platform_pull")
    assert client.post(pull, {"slug": ["theirs"], "catalog": own.slug}).status_code == 303
    assert ProfileImport.objects.get().catalog == own
    assert client.post(pull, {"slug": ["theirs"], "catalog": other.slug}).status_code == 403
    assert client.post(pull, {"slug": ["theirs"], "catalog": "none"}).status_code == 404
