"""At 400 % of zoom a window is 320 by 256 px: everything stays within reach."""

import pytest
from playwright.sync_api import expect

from tests.browser import looking
from tests.browser.conftest import OpenPage
from tests.browser.world import make_world
from tests.factories import PASSWORD, ConnectionFactory
from tests.integration.cast import NOBODY, Cast
from tests.support.site import Site

ZOOMED_PX = (320, 256)


@pytest.mark.parametrize("page_name", ["fleet_stop", "fleet_detail"])
def test_nothing_lies_over_what_has_the_focus(
    page_name: str, app: Site, cast: Cast, open_page: OpenPage
) -> None:
    page = open_page("operator", size_px=ZOOMED_PX)
    world = make_world(cast.team, cast.operator)
    page.goto(app.address(f"fleets:{page_name}", world.fleet.public_id))
    assert looking.covered(page) == []


def test_the_launch_form_can_be_filled_in(cast: Cast, open_page: OpenPage) -> None:
    ConnectionFactory(name="research-prod")
    page = open_page("operator", size_px=ZOOMED_PX)
    page.goto("/fleets/new")
    assert looking.covered(page) == []


def test_the_dialog_scrolls_to_its_button(app: Site, cast: Cast, open_page: OpenPage) -> None:
    page = open_page("operator", size_px=ZOOMED_PX)
    world = make_world(cast.team, cast.operator)
    page.goto(app.address("fleets:fleet_detail", world.fleet.public_id))
    page.get_by_role("link", name="Stop…").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert looking.covered(page) == []


@pytest.mark.parametrize("size_px", [ZOOMED_PX, (320, 640)])
def test_the_welcome_does_not_cover_the_button_that_stops(
    size_px: tuple[int, int], app: Site, cast: Cast, open_page: OpenPage
) -> None:
    page = open_page(NOBODY, size_px=size_px)
    world = make_world(cast.team, cast.operator)
    page.goto(app.address("fleets:fleet_stop", world.fleet.public_id))
    page.fill("#id_login", cast.operator.username)
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".toast")).to_have_count(1)
    page.get_by_role("button", name="Cut off now").click()
    page.wait_for_url("**/operations/*")
