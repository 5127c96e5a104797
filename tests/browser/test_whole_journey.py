"""From an empty list to nothing left: launch twelve agents, watch them finish, delete them.

Everything is real: Chromium, the ASGI application, a Celery worker and beat, and an emulator in
which agents take seconds. What the page shows is compared with the emulator's own ledger.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from emulator.config import Config
from emulator.server import EmulatorThread
from fleets.domain.money import show_exact
from fleets.models import Fleet, Turn
from tests.browser.conftest import OpenPage
from tests.integration.cast import Cast
from tests.support.driver import connect, control
from tests.support.site import Site
from tests.support.worker import Workers

AGENTS = 12
WORK_MS = 120_000
DELETE_MS = 60_000


@pytest.fixture
def emulator(app: Site) -> Iterator[EmulatorThread]:
    """Agents that take 4 to 20 seconds of a clock that runs four times as fast."""
    with EmulatorThread(Config(control=True, rate_per_minute=0, failure_share=0.0)) as running:
        control(running, "POST", "clock", {"speed": 4})
        connect(running)
        yield running


class Watch:
    """Everything the page asks for, and the counts it shows, from now on."""

    def __init__(self, page: Page) -> None:
        self.asked: list[Request] = []
        page.on("request", lambda request: self.asked.append(request))

    def streams(self) -> list[str]:
        return [request.url for request in self.asked if "/live/stream" in request.url]

    def fragments(self) -> list[str]:
        """Requests that a page without a stream would make again and again."""
        return [
            request.url
            for request in self.asked
            if request.headers.get("hx-request") and "/live/" not in request.url
        ]


def fill_in(page: Page, app: Site) -> None:
    page.goto(app.address("fleets:fleet_new"))
    page.get_by_role("textbox", name="Name").fill("nightly-review")
    page.get_by_role("spinbutton", name="Agents").or_(
        page.get_by_role("textbox", name="Agents")
    ).fill(str(AGENTS))
    page.get_by_role("textbox", name="Prompt").fill("[[ok]] Review part {index} as {agent_id}.")
    page.get_by_role("textbox", name="Budget").fill("3")


def key_row(emulator: EmulatorThread, fleet: Fleet) -> Any:
    keys = control(emulator, "GET", "state")["keys"]
    return next(key for key in keys if key["keyId"] == fleet.key_id)


def test_twelve_agents_are_launched_watched_and_deleted_without_a_navigation(
    app: Site, cast: Cast, emulator: EmulatorThread, worker: Workers, open_page: OpenPage
) -> None:
    page = open_page("admin")
    fill_in(page, app)
    launch = page.get_by_role("button", name=f"Launch {AGENTS} agents, ≤ $3.00")
    expect(launch).to_be_enabled()
    watch = Watch(page)
    launch.click()
    page.wait_for_url(re.compile(r"/fleets/fleet-[0-9a-f]{12}$"))
    page.evaluate("window.marker = 'untouched'")
    page.evaluate(COLLECT_COUNTS)

    expect(page.locator("#fleet-title")).to_contain_text("Finished", timeout=WORK_MS)
    expect(page).to_have_title(re.compile("nightly-review · finished|nightly-review · 12"))
    assert page.evaluate("window.marker") == "untouched"
    counts = page.evaluate("window.counts")
    assert len([count for count in counts if 0 < count < AGENTS]) >= 3, counts
    assert len(watch.streams()) == 1
    assert watch.fragments() == []

    fleet = Fleet.objects.get()
    assert Turn.objects.values("trace_id").distinct().count() == AGENTS
    delete_it(page, fleet)
    expect(page.locator("main")).to_contain_text("Nothing is left", timeout=DELETE_MS)
    gone = page.locator("tbody tr", has_text="Gone")
    expect(gone).to_have_count(fleet.machines_total + 2)
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}
    page.goto(app.address("fleets:fleet_detail", fleet.public_id))
    spent = key_row(emulator, fleet)["spentNusd"]
    assert page.locator(f'[title="{show_exact(spent)}"]').count() >= 1


# Every count of completed agents that the page ever shows, in order.
COLLECT_COUNTS = """() => {
  window.counts = [];
  const read = () => {
    const shown = document.querySelector('#count-completed, #count-finished');
    const count = shown ? Number(shown.textContent) : 0;
    if (window.counts.at(-1) !== count) window.counts.push(count);
  };
  new MutationObserver(read).observe(document.body, {childList: true, subtree: true,
    characterData: true});
}"""


def delete_it(page: Page, fleet: Fleet) -> None:
    page.get_by_role("button", name="More acts").click()
    page.get_by_role("link", name=re.compile("Delete")).click()
    page.get_by_label(re.compile("Type")).fill(fleet.name)
    page.get_by_label(re.compile("Reason")).fill("the review is read")
    page.get_by_role("button", name=re.compile("^Delete")).click()
    page.wait_for_url(re.compile("/operations/op_"))
