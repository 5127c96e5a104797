"""Try, then publish, in the browser: edited, saved as a draft, tried beside the head, published."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from emulator.config import Config
from emulator.server import EmulatorThread
from fleets.domain.money import show_exact
from fleets.models import Fleet, Profile
from fleets.services.actor import Actor
from fleets.services.profiles import create_profile, organisation_catalog
from tests.browser.conftest import OpenPage
from tests.integration.cast import Cast
from tests.integration.chaos.books import executions_of
from tests.support.driver import connect
from tests.support.site import Site
from tests.support.worker import Workers

WORK_MS = 120_000
HERON = {"kind": "inline", "name": "words", "content": "The codeword is heron."}
BODY = {"name": "Reviewer", "harness": "opencode", "resources": {"skills": [HERON]}}


@pytest.fixture
def emulator(app: Site) -> Iterator[EmulatorThread]:
    """A platform ten times as fast as in life, in which nothing fails by chance."""
    config = Config(control=True, pace="fast", rate_per_minute=0, failure_share=0.0)
    with EmulatorThread(config) as running:
        connect(running)
        yield running


def test_a_draft_is_tried_beside_the_head_and_published(
    app: Site, cast: Cast, emulator: EmulatorThread, worker: Workers, open_page: OpenPage
) -> None:
    actor = Actor(cast.operator, door="browser")
    create_profile(catalog=organisation_catalog(), body=BODY, actor=actor)
    page = open_page("operator")
    page.goto(app.address("fleets:profile_detail", "reviewer", query="?tab=examples"))
    page.get_by_role("link", name="Add the first example").click()
    page.get_by_label("Prompt").fill("[[ok]] [[recall]] Which word?")
    page.get_by_label("Check", exact=True).select_option("matches")
    page.get_by_label("Pattern").fill("otter")
    page.get_by_role("button", name="Add example").click()
    page.get_by_role("link", name="Add example").click()
    page.get_by_label("Prompt").fill("[[ok]] Say anything.")
    page.get_by_role("button", name="Add example").click()
    page.get_by_role("button", name="Move example 2 up").click()
    expect(page.locator(".example").first).to_contain_text("Say anything.")

    page.goto(app.address("fleets:profile_edit", "reviewer", query="?view=source"))
    text = page.locator("#source").input_value()
    with page.expect_response("**/look"):
        page.locator("source-editor .cm-content").fill(text.replace("heron", "otter"))
    page.get_by_role("button", name="Save r2 as a draft").click()
    page.get_by_role("link", name="Try r2").click()
    expect(page.locator("#try-sides")).to_contain_text("draft")
    page.get_by_role("button", name="Run 4 turns, ≤ $").click()

    # Nobody reloads: the page follows its fleet to the end.
    summary = page.locator(".trial-sum")
    expect(summary).to_contain_text("4 turns done", timeout=WORK_MS)
    expect(summary).to_contain_text("+1 more accepted")
    fleet = Fleet.objects.get()
    books = {one["sessionId"]: one["costNusd"] for one in executions_of(emulator, fleet)}
    for number, column in ((1, 0), (2, 1)):
        side = fleet.agents.filter(agent_id__startswith=f"r{number}-")
        spent = sum(books[agent.session_id] for agent in side)
        cell = summary.get_by_role("row", name="Cost of the turns").locator("td").nth(column)
        expect(cell).to_have_attribute("title", show_exact(spent))

    page.get_by_role("button", name="Publish r2").click()
    expect(page.locator(".head")).to_contain_text("head r2")
    page.get_by_role("link", name="Revisions").click()
    expect(page.get_by_role("link", name="tried: 1 of 1 vs 0 of 1")).to_be_visible()
    head = Profile.objects.get().head
    assert head is not None
    assert head.number == 2
