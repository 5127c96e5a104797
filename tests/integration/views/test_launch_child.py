"""The launch page of a child fleet: what its parent has left, and what is refused in numbers."""

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.factories import FleetFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db
CENT = 10_000_000


def test_a_childs_form_names_its_parent_and_refuses_more_than_is_left_in_numbers() -> None:
    cast = Cast.gather()
    parent = FleetFactory(
        name="research",
        team=cast.team,
        budget_nusd=30 * CENT,
        spent_nusd=0,
        reserved_nusd=24 * CENT,
        remaining_nusd=6 * CENT,
        created_on_platform_at=timezone.now(),
    )
    client = cast.client("operator")
    url = f"{reverse('fleets:fleet_new')}?parent={parent.public_id}&agent=agent-3"
    cast.expect(url, "GET", {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404})
    html = client.get(url).content.decode()

    assert "child of" in html
    assert "$0.30 − $0.24 reserved = $0.06 left" in html
    assert 'value="agent-3"' in html
    # No key of it is held here, and the form says so before anybody presses Launch.
    assert "research has its key elsewhere" in html

    typed = {
        "name": "shard", "team": cast.team.slug, "count": "1", "prompt": "Go.", "budget": "0.12",
        "parent": parent.public_id, "idempotency_key": "k" * 12,
    }  # fmt: skip
    html = client.post(reverse("fleets:fleet_preview"), typed).content.decode()
    assert "research: $0.30 − $0.24 reserved = $0.06 left; asked $0.12." in html
