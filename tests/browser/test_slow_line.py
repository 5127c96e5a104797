"""A line on which one script arrives long after the others."""

from playwright.sync_api import Page, Route, expect

LATE_MS = 600


def test_a_page_goes_live_although_the_script_of_its_stream_arrives_late(page: Page) -> None:
    def delay(route: Route) -> None:
        page.wait_for_timeout(LATE_MS)
        route.continue_()

    page.route("**/hx-sse.min.js", delay)
    page.goto("/fleets/")
    expect(page.locator("#live-status b")).to_have_text("Live")
