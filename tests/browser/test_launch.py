"""The launch form at work: the preflight follows the typing and never gets in its way."""

import pytest
from playwright.sync_api import Page, expect

from fleets.models import Fleet
from tests.browser.conftest import OpenPage
from tests.factories import ConnectionFactory
from tests.integration.cast import Cast


@pytest.fixture(autouse=True)
def account(cast: Cast) -> None:
    ConnectionFactory(name="research-prod")


def fill(page: Page, **typed: str) -> None:
    for field, value in typed.items():
        page.fill(f"#id_{field}", value)


def test_the_preflight_follows_what_is_typed(page: Page) -> None:
    page.goto("/fleets/new")
    fill(page, name="nightly-review", count="50", budget="3.00")
    page.focus("#id_prompt")
    page.keyboard.type("Review shard {index}.", delay=20)
    expect(page.locator("#launch-act button")).to_have_text("Launch 50 agents, ≤ $3.00")
    expect(page.locator("#preflight")).to_contain_text("Review shard 1.")
    expect(page.locator("#id_prompt")).to_be_focused()
    assert page.input_value("#id_prompt") == "Review shard {index}."


def test_a_repair_is_applied_and_the_rest_is_kept(page: Page) -> None:
    page.goto("/fleets/new")
    fill(page, name="nightly-review", prompt="Do {index}.", count="50", at_once="50")
    page.get_by_role("button", name="As many as fit").click()
    expect(page.locator("#id_at_once")).to_have_value("auto")
    expect(page.locator("#id_at_once")).to_be_focused()
    assert page.input_value("#id_name") == "nightly-review"
    assert page.input_value("#id_prompt") == "Do {index}."
    fill(page, count="20")
    expect(page.locator("#launch-act button")).to_have_text("Launch 20 agents, ≤ $1.00")


def test_enter_in_a_field_checks_and_never_spends(page: Page) -> None:
    page.goto("/fleets/new")
    fill(page, name="nightly-review", prompt="Do {index}.")
    with page.expect_response("**/fleets/new/preview"):
        page.press("#id_name", "Enter")
    assert page.url.endswith("/fleets/new")
    assert not Fleet.objects.exists()


def test_launching_leads_to_the_fleet(page: Page) -> None:
    page.goto("/fleets/new")
    fill(page, name="nightly-review", prompt="Do {index}.", count="12")
    button = page.get_by_role("button", name="Launch 12 agents, ≤ $1.00")
    button.click()
    page.wait_for_url("**/fleets/fleet-*")
    assert Fleet.objects.get().agents_total == 12


def test_a_refused_launch_moves_the_focus_to_what_is_wrong(open_page: OpenPage) -> None:
    page = open_page("operator", has_scripts=False)
    page.goto("/fleets/new")
    fill(page, name="half-done", count="many", prompt="Do {index}.")
    page.locator("#launch-act button").click(force=True)
    summary = page.get_by_role("alert").filter(has_text="Not launched.")
    expect(summary).to_be_focused()
    assert page.input_value("#id_count") == "many"
    summary.get_by_role("link", name="Agents").click()
    assert page.url.endswith("#id_count")


def test_without_scripts_the_check_button_gives_the_preflight(open_page: OpenPage) -> None:
    page = open_page("operator", has_scripts=False)
    page.goto("/fleets/new")
    fill(page, name="by-hand", prompt="Do {index}.", count="7")
    page.locator("noscript button").click()
    expect(page.locator("#launch-act button")).to_have_text("Launch 7 agents, ≤ $1.00")
    page.locator("#launch-act button").click()
    page.wait_for_url("**/fleets/fleet-*")
