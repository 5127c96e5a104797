"""A live page tells how old its figures are, whatever its own stream says."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from playwright.sync_api import Page, expect

from fleets.domain.status import FleetState
from fleets.live import publish
from fleets.models import Fleet
from tests.factories import FleetFactory
from tests.integration.cast import Cast
from tests.support.site import Site

# Not yet old when it is told; only time makes it so.
ALMOST_OLD = timedelta(seconds=24)


def read(at: Any) -> dict[str, Any]:
    return {"platform_seen_at": at, "key_seen_at": at}


def test_figures_that_are_not_read_any_more_are_dimmed_and_their_age_is_told(
    app: Site, cast: Cast, page: Page
) -> None:
    young = timezone.now() + timedelta(minutes=10)
    fleet: Fleet = FleetFactory(owner=cast.operator, spent_nusd=1, remaining_nusd=2, **read(young))
    page.goto(app.address("fleets:fleet_detail", fleet.public_id))
    expect(page.locator("#live-status")).to_contain_text("Live")
    expect(page.locator("#stale")).to_be_hidden()

    at = timezone.now() - ALMOST_OLD
    Fleet.objects.filter(pk=fleet.pk).update(**read(at))
    publish(f"fleet:{fleet.public_id}", {"kind": "head"})
    expect(page.locator("#stale")).to_be_visible()
    expect(page.locator("#stale")).to_contain_text(f"Stale since {at:%H:%M:%S}")
    expect(page.locator("html")).to_have_attribute("data-stale", "")
    expect(page.locator("#live-status")).to_contain_text("Live")

    Fleet.objects.filter(pk=fleet.pk).update(**read(timezone.now()))
    publish(f"fleet:{fleet.public_id}", {"kind": "head"})
    expect(page.locator("#stale")).to_be_hidden()


def test_a_launch_that_nobody_answers_is_told_to_be_old(app: Site, cast: Cast, page: Page) -> None:
    fleet: Fleet = FleetFactory(
        state=FleetState.CREATING, created_at=timezone.now() - timedelta(seconds=31)
    )
    page.goto(app.address("fleets:fleet_detail", fleet.public_id))
    expect(page.locator("#stale")).to_be_visible()


def test_the_list_marks_the_fleet_that_is_old_and_is_old_itself_once_all_are(
    app: Site, cast: Cast, page: Page
) -> None:
    now = timezone.now()
    old = FleetFactory(name="old", **read(now - timedelta(minutes=2)))
    young = FleetFactory(name="young", **read(now + timedelta(minutes=1)))
    page.goto(app.address("fleets:fleet_list"))
    expect(page.locator(f"#fm-{old.pk}")).to_have_attribute("data-old", "")
    expect(page.locator(f"#fm-{young.pk}")).not_to_have_attribute("data-old", "")
    expect(page.locator("#stale")).to_be_hidden()

    Fleet.objects.filter(pk=young.pk).update(**read(now - timedelta(minutes=1)))
    publish("fleets", {"kind": "fleet", "ids": [young.pk]})
    expect(page.locator("#stale")).to_be_visible()


def test_a_state_that_was_read_earlier_does_not_take_the_title_back(
    app: Site, cast: Cast, page: Page
) -> None:
    fleet: Fleet = FleetFactory(name="review", state=FleetState.FINISHED)
    page.goto(app.address("fleets:fleet_detail", fleet.public_id))
    expect(page).to_have_title("Fleet review · finished · Fleets")
    page.evaluate(
        """() => Object.assign(document.getElementById("page-state").dataset,
            {at: "1.0", title: "Fleet review · creating · Fleets"})"""
    )
    page.wait_for_timeout(1_500)
    expect(page).to_have_title("Fleet review · finished · Fleets")
