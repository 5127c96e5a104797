"""A session that ends under an open page, as people meet it."""

from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from fleets.models import Operation
from tests.browser.conftest import OpenPage
from tests.browser.world import World, make_world
from tests.factories import PASSWORD, ConnectionFactory
from tests.integration.cast import Cast
from tests.support.browsing import session_of, visiting
from tests.support.site import Site


def sign_out_elsewhere(page: Page) -> None:
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)


def sign_in(page: Page, cast: Cast) -> None:
    page.fill("#id_login", cast.operator.username)
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_a_stop_is_pressed_again_after_signing_in(app: Site, cast: Cast, page: Page) -> None:
    world = make_world(cast.team, cast.operator)
    page.goto(app.address("fleets:fleet_detail", world.fleet.public_id))
    page.get_by_role("link", name="Stop…").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("looping on captcha")
    sign_out_elsewhere(page)
    page.get_by_role("button", name="Cut off now").click()
    page.wait_for_url("**/accounts/login/**")
    sign_in(page, cast)
    expect(page.get_by_role("alert").filter(has_text="It was not sent")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("looping on captcha")
    page.get_by_role("button", name="Cut off now").click()
    page.wait_for_url("**/operations/*")
    assert Operation.objects.get(fleet=world.fleet).reason == "looping on captcha"


def test_the_launch_form_stays_and_goes_on_after_signing_in_elsewhere(
    cast: Cast, page: Page
) -> None:
    ConnectionFactory(name="research-prod")
    page.goto("/fleets/new")
    page.fill("#id_name", "nightly-review")
    expect(page.locator("#preflight")).to_contain_text("not complete yet")
    page.context.clear_cookies()
    page.fill("#id_prompt", "Review {index}.")
    told = page.locator("[data-signed-out]")
    expect(told).to_contain_text("You are signed out.")
    assert page.url.endswith("/fleets/new")

    with page.context.expect_page() as opening:
        told.get_by_role("link").click()
    other = opening.value
    sign_in(other, cast)
    other.wait_for_url("**/fleets/")
    page.fill("#id_count", "7")
    expect(page.locator("#launch-act button")).to_have_text("Launch 7 agents, ≤ $1.00")
    expect(told).to_have_count(0)
    page.locator("#launch-act button").click()
    page.wait_for_url("**/fleets/fleet-*")


def test_a_launch_pressed_when_signed_out_finds_its_form_again(cast: Cast, page: Page) -> None:
    ConnectionFactory(name="research-prod")
    page.goto("/fleets/new")
    page.fill("#id_name", "nightly-review")
    page.fill("#id_prompt", "Review {index}.")
    page.fill("#id_count", "7")
    expect(page.locator("#launch-act button")).to_have_text("Launch 7 agents, ≤ $1.00")
    sign_out_elsewhere(page)
    page.locator("#launch-act button").click()
    page.wait_for_url("**/accounts/login/**")
    sign_in(page, cast)
    expect(page.locator("#id_name")).to_have_value("nightly-review")
    expect(page.locator("#id_count")).to_have_value("7")
    expect(page.locator("#launch-act button")).to_have_text("Launch 7 agents, ≤ $1.00")


def test_an_example_refused_once_and_sent_when_signed_out_finds_its_words_again(
    app: Site, cast: Cast, page: Page
) -> None:
    world = make_world(cast.team, cast.operator)
    page.goto(app.address("fleets:profile_example", world.profile.slug))
    page.get_by_label("Prompt").fill(" ")
    page.get_by_role("button", name="Add example").click()
    expect(page.get_by_role("alert").filter(has_text="Not saved")).to_be_visible()
    page.get_by_label("Prompt").fill("Read src/parser.py.")
    sign_out_elsewhere(page)
    page.get_by_role("button", name="Add example").click()
    page.wait_for_url("**/accounts/login/**")
    sign_in(page, cast)
    expect(page.get_by_role("alert").filter(has_text="It was not sent")).to_be_visible()
    expect(page.get_by_label("Prompt")).to_have_value("Read src/parser.py.")


def test_back_after_a_launch_finds_what_was_typed(cast: Cast, page: Page) -> None:
    ConnectionFactory(name="research-prod")
    page.goto("/fleets/new")
    typed = {"name": "nightly", "count": "3", "budget": "2.50", "tags": "night", "prompt": "Do it."}
    for field, value in typed.items():
        page.fill(f"#id_{field}", value)
    page.get_by_role("button", name="Launch 3 agents, ≤ $2.50").click()
    page.wait_for_url("**/fleets/fleet-*")
    page.go_back()
    for field, value in typed.items():
        expect(page.locator(f"#id_{field}")).to_have_value(value)


def test_a_live_page_stays_and_comes_back_after_signing_in(
    app: Site, cast: Cast, open_page: OpenPage
) -> None:
    page = open_page("operator")
    world = make_world(cast.team, cast.operator)
    page.goto(app.address("fleets:fleet_detail", world.fleet.public_id))
    expect(page.locator("#live-status")).to_contain_text("Live")
    sign_out_elsewhere(page)
    page.evaluate("document.dispatchEvent(new CustomEvent('resync'))")
    expect(page.locator("[data-signed-out]")).to_be_visible()
    assert "/accounts/login" not in page.url

    name, key = session_of(cast.operator)
    page.context.add_cookies([{"name": name, "value": key, "url": app.url}])
    page.evaluate("document.dispatchEvent(new CustomEvent('resync'))")
    expect(page.locator("[data-signed-out]")).to_have_count(0)


def test_a_refresh_that_fails_by_itself_raises_no_alarm(
    app: Site, browser: Browser, cast: Cast
) -> None:
    world = make_world(cast.team, cast.operator)
    # A window of its own: the console may say that there was a 500, the page may not.
    with visiting(browser, app.url, cast.operator) as visit:
        fail_to_refresh(app, visit.page, world)
        expect(visit.page.locator("[data-problem]:visible")).to_have_count(0)


def fail_to_refresh(app: Site, page: Page, world: World) -> None:
    """Every element of the page that refetches itself is answered 500, and has dealt with it."""
    here = reverse("fleets:fleet_detail", args=[world.fleet.public_id])
    page.goto(app.url + here)
    expect(page.locator("#live-status")).to_contain_text("Live")
    page.route(f"**{here}*", lambda route: route.fulfill(status=500, body="broken"))
    page.evaluate(
        """() => new Promise((done) => {
          document.addEventListener("htmx:finally:request", () => setTimeout(done), { once: true });
          document.dispatchEvent(new CustomEvent("resync"));
        })"""
    )
    page.unroute_all()
