"""Every page of the table: axe in light and dark, 320 px, the keyboard, and without scripts.

The pages only show: one world stands for all of them, and its people keep their browsers.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext
from playwright.sync_api import Page as Window
from pytest_django import DjangoDbBlocker
from redis import Redis

from fleets.models import Fleet
from tests.browser import looking
from tests.browser.conftest import OpenPage
from tests.browser.pages import PAGES, Page
from tests.browser.world import World, make_world
from tests.integration.cast import Cast
from tests.support.browsing import Visit, browsing_as
from tests.support.site import Site

each_page = pytest.mark.parametrize("row", PAGES, ids=lambda row: row.name)
each_plain_page = pytest.mark.parametrize(
    "row", [row for row in PAGES if row.act is None], ids=lambda row: row.name
)


@dataclass(frozen=True, slots=True)
class Standing:
    """The site with one world in it, and a browser of each person, with scripts and without."""

    site: Site
    world: World
    browsers: dict[tuple[str, bool], BrowserContext]


@pytest.fixture(scope="module")
def standing(
    browser: Browser, all_connections_closed: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Standing]:
    with django_db_blocker.unblock(), Redis.from_url(settings.REDIS_URL) as redis:
        redis.flushdb()
        try:
            with Site() as site, ExitStack() as closing:
                cast = Cast.gather()
                world = make_world(cast.team, cast.operator)
                # A launch that nobody answers is told to be old: here it never is.
                later = timezone.now() + timedelta(hours=1)
                Fleet.objects.filter(pk=world.creating.pk).update(created_at=later)
                browsers = {
                    (who, has_scripts): closing.enter_context(
                        browsing_as(browser, site.url, cast.person(who), has_scripts=has_scripts)
                    )
                    for who in {row.who for row in PAGES}
                    for has_scripts in (True, False)
                }
                yield Standing(site, world, browsers)
        finally:
            call_command("flush", verbosity=0, interactive=False, inhibit_post_migrate=True)


@pytest.fixture
def open_window(standing: Standing, db: None) -> Iterator[OpenPage]:
    """Opens a window of that person; at the end of the test none may have complained."""
    visits: list[Visit] = []

    def opened(who: str, *, has_scripts: bool = True) -> Window:
        visits.append(Visit(standing.browsers[who, has_scripts].new_page()))
        return visits[-1].page

    yield opened
    for visit in visits:
        visit.page.close()
    assert [fault for visit in visits for fault in visit.faults] == []


def go_to(window: Window, row: Page, standing: Standing) -> None:
    path = row.path(standing.world)
    answer = window.goto(path)
    assert answer is not None
    assert answer.status == row.status
    assert window.url == standing.site.url + path, "the page sent its visitor elsewhere"


@each_page
def test_a_page_is_usable_by_everybody(
    row: Page, standing: Standing, open_window: OpenPage
) -> None:
    window = open_window(row.who)
    go_to(window, row, standing)
    assert window.title()
    if row.act:
        row.act(window)
    wrong = [f"light, {one}" for one in looking.accessibility(window)]
    window.emulate_media(color_scheme="dark", reduced_motion="reduce")
    dark = looking.accessibility(window, rules=looking.COLOURS)
    wrong += [f"dark, {one}" for one in dark]
    wrong += looking.keyboard(window)
    window.set_viewport_size({"width": looking.NARROW_PX[0], "height": looking.NARROW_PX[1]})
    wrong += looking.sideways(window)
    assert wrong == []


@each_plain_page
def test_a_page_can_be_read_without_scripts(
    row: Page, standing: Standing, open_window: OpenPage
) -> None:
    window = open_window(row.who, has_scripts=False)
    go_to(window, row, standing)
    assert looking.readable(window) == []


def test_the_questions_can_find_something_wrong(open_window: OpenPage) -> None:
    window = open_window("viewer")
    window.set_viewport_size({"width": looking.NARROW_PX[0], "height": looking.NARROW_PX[1]})
    window.goto("/account")
    window.evaluate(
        """() => {
          document.body.innerHTML = "<img src='data:,'><div id=wide></div><a href=x id=off>a b</a>"
            + "<p id=pale>Hardly to be read</p>";
          document.getElementById("wide").style.cssText = "width: 900px; height: 1px";
          document.getElementById("pale").style.cssText = "color: #777; background: #888";
          document.getElementById("off").style.cssText = "outline: 0; box-shadow: none";
        }"""
    )
    assert any("image-alt" in one for one in looking.accessibility(window))
    dark = looking.accessibility(window, rules=looking.COLOURS)
    assert [one for one in dark if "color-contrast" not in one] == []
    assert dark
    assert any("wide" in one for one in looking.sideways(window))
    assert any("focus cannot be seen" in one for one in looking.keyboard(window))
    assert "no heading without scripts" in looking.readable(window)
