"""Every page of the table: axe in light and dark, 320 px, the keyboard, and without scripts."""

import pytest

from tests.browser import looking
from tests.browser.conftest import OpenPage
from tests.browser.pages import PAGES, Page
from tests.browser.world import World, make_world
from tests.integration.cast import Cast
from tests.support.site import Site

each_page = pytest.mark.parametrize("row", PAGES, ids=lambda row: row.name)
each_plain_page = pytest.mark.parametrize(
    "row", [row for row in PAGES if row.act is None], ids=lambda row: row.name
)


@pytest.fixture
def world(cast: Cast) -> World:
    return make_world(cast.team, cast.operator)


@each_page
def test_a_page_is_usable_by_everybody(
    row: Page, world: World, app: Site, open_page: OpenPage
) -> None:
    window = open_page(row.who, color_scheme="light")
    answer = window.goto(row.path(world))
    assert answer is not None
    assert answer.status == row.status
    assert window.url == app.url + row.path(world), "the page sent its visitor elsewhere"
    assert window.title()
    if row.act:
        row.act(window)
    wrong = [f"light, {one}" for one in looking.accessibility(window)]
    window.emulate_media(color_scheme="dark", reduced_motion="reduce")
    wrong += [f"dark, {one}" for one in looking.accessibility(window)]
    wrong += looking.keyboard(window)
    window.set_viewport_size({"width": looking.NARROW_PX[0], "height": looking.NARROW_PX[1]})
    wrong += looking.sideways(window)
    assert wrong == []


@each_plain_page
def test_a_page_can_be_read_without_scripts(row: Page, world: World, open_page: OpenPage) -> None:
    window = open_page(row.who, has_scripts=False)
    answer = window.goto(row.path(world))
    assert answer is not None
    assert answer.status == row.status
    assert looking.readable(window) == []


def test_the_questions_can_find_something_wrong(open_page: OpenPage) -> None:
    window = open_page("viewer", size_px=looking.NARROW_PX)
    window.goto("/account")
    window.evaluate(
        """() => {
          document.body.innerHTML = "<img src='data:,'><div id=wide></div><a href=x id=off>a b</a>";
          document.getElementById("wide").style.cssText = "width: 900px; height: 1px";
          document.getElementById("off").style.cssText = "outline: 0; box-shadow: none";
        }"""
    )
    assert any("image-alt" in one for one in looking.accessibility(window))
    assert any("wide" in one for one in looking.sideways(window))
    assert any("focus cannot be seen" in one for one in looking.keyboard(window))
    assert "no heading without scripts" in looking.readable(window)
