"""The fleets list at work: rows move in place, new ones wait, keys and the peek do their part."""

import pytest
from playwright.sync_api import Page, expect

from fleets.live import publish
from fleets.models import Fleet
from tests.browser.world import World, make_world
from tests.factories import FleetFactory
from tests.integration.cast import Cast


@pytest.fixture
def world(cast: Cast) -> World:
    return make_world(cast.team, cast.operator)


def open_list(page: Page, query: str = "") -> None:
    page.goto(f"/fleets/{query}")
    expect(page.locator("#live-status b")).to_have_text("Live")
    page.evaluate("window.marker = 1")


def test_a_changed_fleet_is_patched_where_it_stands(world: World, page: Page) -> None:
    open_list(page)
    Fleet.objects.filter(pk=world.fleet.pk).update(tasks_completed=4, tasks_running=0)
    publish("fleets", {"kind": "fleet", "ids": [world.fleet.pk, world.creating.pk]})
    expect(page.locator(f"#fa-{world.fleet.pk}")).to_contain_text("4/12")
    assert page.evaluate("window.marker") == 1


def test_new_fleets_wait_until_they_are_asked_for(world: World, page: Page, cast: Cast) -> None:
    open_list(page)
    before = page.locator("#fleet-table tbody tr").count()
    fleet = FleetFactory(name="brand-new", team=cast.team, owner=cast.operator)
    publish("fleets", {"kind": "new", "ids": [fleet.pk]})
    expect(page.locator("#fleet-new")).to_contain_text("1 new fleet, show")
    assert page.locator("#fleet-table tbody tr").count() == before
    page.locator("#fleet-new a").click()
    expect(page.locator("#fleet-table tbody tr").first).to_contain_text("brand-new")


def test_the_title_follows_what_needs_attention(page: Page, cast: Cast) -> None:
    fleet = FleetFactory(name="calm", team=cast.team, owner=cast.operator)
    open_list(page)
    expect(page).to_have_title("Fleets · Fleetdash")
    Fleet.objects.filter(pk=fleet.pk).update(tasks_failed=1)
    publish("fleets", {"kind": "fleet", "ids": [fleet.pk]})
    expect(page).to_have_title("Fleets · 1 needs attention · Fleetdash")


def test_typing_in_the_search_narrows_the_list_and_keeps_the_place(
    world: World, page: Page
) -> None:
    open_list(page)
    page.keyboard.press("/")
    page.keyboard.type("ran-away", delay=30)
    expect(page.locator("#fleet-table tbody tr")).to_have_count(1)
    expect(page.locator("#fleet-q")).to_be_focused()
    page.wait_for_url("**/fleets/?q=ran-away")
    assert page.evaluate("window.marker") == 1


def test_keys_walk_the_rows_open_a_peek_and_a_fleet(world: World, page: Page) -> None:
    open_list(page, "?sort=name")
    second = page.locator("tbody a.name").nth(1)
    name, address = second.inner_text(), second.get_attribute("href") or ""
    page.keyboard.press("j")
    page.keyboard.press("j")
    focused = page.locator("a.name:focus")
    expect(focused).to_have_text(name)
    page.keyboard.press("o")
    expect(page.locator("#peek h2")).to_have_text(name)
    expect(focused).to_have_text(name)
    assert f"peek={address.rpartition('/')[2]}" in page.url
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")


def test_escape_closes_the_peek_and_leaves_the_row_focused(world: World, page: Page) -> None:
    open_list(page, "?sort=name")
    page.keyboard.press("j")
    page.keyboard.press("o")
    expect(page.locator("#peek h2")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#peek")).to_be_hidden()
    assert "peek=" not in page.url
    expect(page.locator("a.name:focus")).to_be_visible()


def test_an_open_peek_stays_current(world: World, page: Page) -> None:
    open_list(page, f"?peek={world.fleet.public_id}")
    Fleet.objects.filter(pk=world.fleet.pk).update(tasks_failed=7)
    publish("fleets", {"kind": "fleet", "ids": [world.fleet.pk]})
    expect(page.locator("#peek")).to_contain_text("7 failed")
    page.get_by_label("Close peek").click()
    expect(page.locator("#peek")).to_have_count(0)


def test_the_peek_opens_the_stop_sheet_over_the_list(world: World, page: Page) -> None:
    open_list(page, f"?peek={world.fleet.public_id}")
    page.locator("#peek").get_by_text("Stop…").click()
    expect(page.locator("dialog#dialog")).to_be_visible()
    expect(page.locator("dialog#dialog")).to_contain_text(f"Stop {world.fleet.name}")
    page.keyboard.press("Escape")
    expect(page.locator("dialog#dialog")).to_be_hidden()
    assert page.evaluate("window.marker") == 1


def test_why_a_fleet_stopped_opens_beside_its_button(page: Page, cast: Cast) -> None:
    sentence = "Four calls of up to $0.059 held the other $0.2358."
    fleet = FleetFactory(team=cast.team, owner=cast.operator, stop_sentence=sentence)
    open_list(page)
    card = page.locator(f"#why-{fleet.pk}")
    expect(card).to_be_hidden()
    page.get_by_label(f"Why {fleet.name} stopped").press("Enter")
    expect(card).to_be_visible()
    expect(card).to_have_text(sentence)
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


@pytest.mark.parametrize("width_px", [1440, 1280, 1100, 900, 768, 390])
@pytest.mark.parametrize("has_peek", [True, False], ids=["peek", "plain"])
def test_the_table_fits_its_room(world: World, page: Page, width_px: int, has_peek: bool) -> None:
    page.set_viewport_size({"width": width_px, "height": 800})
    page.goto(f"/fleets/?peek={world.fleet.public_id}" if has_peek else "/fleets/")
    expect(page.locator("#fleet-table")).to_be_visible()
    overhang = page.evaluate(
        """() => {
          const room = document.getElementById("fleet-table").getBoundingClientRect();
          const ends = [...document.querySelectorAll("#fleet-table td")]
            .map((cell) => cell.getBoundingClientRect().right);
          return Math.max(...ends) - room.right;
        }"""
    )
    assert overhang <= 1
