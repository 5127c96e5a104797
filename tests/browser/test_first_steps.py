"""The door: signing in by hand, and what the frame of every page does."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.factories import PASSWORD, FleetFactory
from tests.integration.cast import NOBODY, Cast
from tests.support.site import Site


def test_a_person_signs_in_and_comes_to_where_they_were_going(
    app: Site, cast: Cast, open_page: OpenPage
) -> None:
    window = open_page(NOBODY)
    window.goto(app.address("fleets:account"))
    window.get_by_label("User name").fill(cast.viewer.username)
    window.get_by_label("Password").fill(PASSWORD)
    window.get_by_role("button", name="Sign in").click()
    window.wait_for_url(app.address("fleets:account"))
    expect(window.locator("main")).to_contain_text(cast.viewer.username)


def test_a_live_page_holds_one_stream_and_says_how_old_it_is(app: Site, page: Page) -> None:
    fleet = FleetFactory(name="nightly-review")
    streams: list[str] = []
    page.on("request", lambda asked: streams.append(asked.url) if "/live/" in asked.url else None)
    page.goto(app.address("fleets:fleet_detail", fleet.public_id))
    expect(page.locator("#live-status")).to_contain_text("Live")
    assert len(streams) == 1
