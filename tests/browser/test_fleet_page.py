"""The fleet page as people use it: it changes under their eyes, peeks, filters and is stopped."""

from typing import Any

from django.db.models import F
from playwright.sync_api import Page, expect

from fleets.domain.status import OperationKind, TaskState
from fleets.live import publish
from fleets.models import Agent, Fleet, Operation
from tests.browser.conftest import OpenPage
from tests.browser.world import World, make_world
from tests.integration.cast import Cast
from tests.support.site import Site


def opened(app: Site, page: Page, world: World, query: str = "") -> list[str]:
    """Open the fleet's page, wait until it is live; later requests are in the list."""
    asked: list[str] = []
    page.goto(app.address("fleets:fleet_detail", world.fleet.public_id) + query)
    expect(page.locator("#live-status")).to_contain_text("Live")
    page.evaluate("window.untouched = true")
    page.on("request", lambda request: asked.append(request.url))
    return asked


def ring(fleet: Fleet, *changes: dict[str, Any]) -> None:
    publish(f"fleet:{fleet.public_id}", *changes)


def test_what_changes_is_patched_over_the_one_stream_without_asking(
    app: Site, cast: Cast, page: Page
) -> None:
    world = make_world(cast.team, cast.operator)
    asked = opened(app, page, world)
    agent = Agent.objects.get(fleet=world.fleet, agent_id="agent-2")

    Agent.objects.filter(pk=agent.pk).update(state=TaskState.FAILED, last_event="tool timeout")
    Fleet.objects.filter(pk=world.fleet.pk).update(
        tasks_failed=F("tasks_failed") + 1, tasks_running=1, spent_nusd=1_500_000_000
    )
    ring(world.fleet, {"kind": "head"}, {"kind": "agents", "ids": [agent.pk]})

    expect(page.locator(f"#agent-{agent.pk}")).to_contain_text("tool timeout")
    expect(page.get_by_role("link", name="agent-2: failed")).to_be_visible()
    expect(page.locator("#count-failed")).to_have_text("3")
    expect(page.locator("#fleet-state .balance")).to_contain_text("$1.50")
    expect(page).to_have_title(f"Fleet {world.fleet.name} · 3 failed · Fleets")
    assert page.evaluate("window.untouched") is True
    assert [url for url in asked if "/fleets/" in url or "/live/" in url] == []


def test_a_square_opens_the_peek_beside_the_filter_and_back_closes_it(
    app: Site, cast: Cast, page: Page
) -> None:
    world = make_world(cast.team, cast.operator)
    opened(app, page, world, "?state=failed")
    page.get_by_role("link", name="agent-0: completed").click()

    peek = page.locator("#fleet-peek")
    expect(peek.get_by_role("heading", name="agent-0")).to_be_visible()
    assert page.url.endswith("?state=failed&agent=agent-0")
    peek.get_by_role("link", name="Close peek").click()
    expect(peek).to_be_hidden()
    assert page.evaluate("window.untouched") is True


def test_the_filter_and_the_search_change_the_address_and_not_the_page(
    app: Site, cast: Cast, page: Page
) -> None:
    world = make_world(cast.team, cast.operator)
    opened(app, page, world)
    page.get_by_role("navigation", name="Agents by state").get_by_text("Failed").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.keyboard.press("/")
    page.keyboard.type("agent-7")
    expect(page.locator("tbody tr")).to_have_count(1)

    assert "state=failed" in page.url
    assert "q=agent-7" in page.url
    assert page.evaluate("window.untouched") is True


def test_a_fleet_is_cut_off_by_keyboard_alone(app: Site, cast: Cast, page: Page) -> None:
    world = make_world(cast.team, cast.operator)
    opened(app, page, world)
    page.get_by_role("link", name="Stop…").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_label("Cut off")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("looping on captcha")
    page.keyboard.press("Enter")

    page.wait_for_url("**/operations/*")
    operation = Operation.objects.get(fleet=world.fleet)
    assert (operation.kind, operation.reason) == (OperationKind.CUT_OFF, "looping on captcha")


def test_escape_closes_the_sheet_and_gives_the_focus_back(
    app: Site, cast: Cast, page: Page
) -> None:
    world = make_world(cast.team, cast.operator)
    opened(app, page, world)
    page.get_by_role("link", name="Stop…").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("link", name="Stop…")).to_be_focused()
    assert not Operation.objects.filter(fleet=world.fleet).exists()


def test_only_the_button_of_the_chosen_strength_is_offered(
    app: Site, cast: Cast, page: Page
) -> None:
    world = make_world(cast.team, cast.operator)
    opened(app, page, world)
    page.get_by_role("link", name="Stop…").click()
    dialog = page.get_by_role("dialog")
    for strength, button in (("Hold", "Hold now"), ("Cancel", "Cancel now")):
        dialog.get_by_label(strength, exact=True).check()
        expect(dialog.locator("footer button[data-for]:visible")).to_have_text(button)


def test_on_a_phone_the_sheet_is_within_reach_of_a_thumb(
    app: Site, cast: Cast, open_page: OpenPage
) -> None:
    phone = open_page("operator", size_px=(320, 640))
    world = make_world(cast.team, cast.operator)
    opened(app, phone, world)
    phone.get_by_role("link", name="Stop…").click()
    button = phone.get_by_role("dialog").get_by_role("button", name="Cut off now")

    expect(button).to_be_in_viewport()
    box = button.bounding_box()
    assert box is not None
    assert box["height"] >= 40


def test_without_scripts_a_fleet_is_read_peeked_at_and_stopped(
    app: Site, cast: Cast, open_page: OpenPage
) -> None:
    plain = open_page("operator", has_scripts=False)
    world = make_world(cast.team, cast.operator)
    plain.goto(app.address("fleets:fleet_detail", world.fleet.public_id))
    plain.get_by_role("link", name="agent-0: completed").click()
    expect(plain.locator("#fleet-peek h2")).to_have_text("agent-0")
    plain.get_by_role("link", name="Stop…").click()
    plain.get_by_label("Hold").check()
    plain.get_by_role("button", name="Hold now").click()

    expect(plain.get_by_role("heading", level=1)).to_contain_text("Hold")
    assert Operation.objects.get(fleet=world.fleet).kind == OperationKind.HOLD


def test_an_operation_is_followed_live_to_its_end(app: Site, cast: Cast, page: Page) -> None:
    world = make_world(cast.team, cast.operator)
    operation = world.operation
    Operation.objects.filter(pk=operation.pk).update(state="running", ended_at=None)
    page.goto(app.address("fleets:operation_detail", operation.public_id))
    expect(page.locator("#live-status")).to_contain_text("Live")
    page.evaluate("window.untouched = true")
    node = operation.nodes.get(ref="agent-2")
    operation.nodes.filter(pk=node.pk).update(state="stopped", result="interrupted")
    Operation.objects.filter(pk=operation.pk).update(state="failed", sentence="1 not confirmed.")
    publish(
        f"operation:{operation.public_id}", {"kind": "nodes", "ids": [node.pk]}, {"kind": "head"}
    )

    expect(page.locator(f"#node-{node.pk}")).to_contain_text("interrupted")
    expect(page.locator("#operation-title")).to_contain_text("1 not confirmed")
    expect(page.get_by_role("button", name="Retry 1 not confirmed")).to_be_visible()
    assert page.evaluate("window.untouched") is True
