"""Source in an editor: marked where the server found something, saved and left by keys."""

import re

from playwright.sync_api import expect

from fleets.models import Profile
from fleets.services.actor import Actor
from fleets.services.profiles import create_profile, organisation_catalog
from tests.browser import looking
from tests.browser.conftest import OpenPage
from tests.factories import ConnectionFactory
from tests.integration.cast import Cast
from tests.support.site import Site

# More than is drawn at once, and more than is written into the textarea at every key.
AGENTS = 1500
LONG = "".join(f"- agentId: a{at}\n  task: Look at shard {at}.\n" for at in range(AGENTS))
LONG += "- agentId: last\n  taks: last\n"


def profile_of(cast: Cast) -> Profile:
    actor = Actor(cast.operator, door="browser")
    body = {"name": "Reviewer", "harness": "codex"}
    return create_profile(
        catalog=organisation_catalog(), body=body, note="", actor=actor, publish=True
    )


def test_source_is_marked_repaired_searched_left_and_saved(
    app: Site, cast: Cast, open_page: OpenPage
) -> None:
    page = open_page("operator")
    profile = profile_of(cast)
    page.goto(app.address("fleets:profile_edit", profile.slug) + "?view=source")
    editor = page.locator("source-editor .cm-content")
    expect(editor).to_have_accessible_name("Source of the profile. Esc, then Tab leaves it.")
    source = page.locator("#source")
    editor.fill('{"name": "Reviewer",\n"harnes": "codex"}')
    expect(source).to_have_value('{"name": "Reviewer",\n"harnes": "codex"}')

    # The server's word stands in the text, at its line, and describes the editor.
    expect(editor).to_have_accessible_description(re.compile(r"^Line 2: .*Did you mean harness\?"))
    expect(page.locator(".cm-lintRange-error")).to_have_text('"harnes": "codex"}')
    assert looking.accessibility(page) == []
    editor.press("F8")
    page.locator(".cm-diagnostic").get_by_role("button", name="Make it harness").click()
    expect(page.locator("#profile-problems")).to_contain_text("Nothing against it")
    expect(source).to_have_value(re.compile('"harness": "codex"'))
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)

    # The keyboard: Tab indents, a search opens and closes, and Esc then Tab leaves.
    editor.press("Control+Home")
    editor.press("Tab")
    expect(source).to_have_value(re.compile("^  {"))
    editor.press("Control+z")
    editor.press("Control+f")
    expect(page.get_by_role("textbox", name="Find")).to_be_focused()
    assert looking.accessibility(page) == []
    page.keyboard.press("Escape")
    expect(editor).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()

    editor.press("Control+End")
    editor.press("Control+s")
    expect(page.locator("#toasts")).to_contain_text("Nothing differs from r1.")


def test_a_long_text_is_taken_up_and_marked_where_nobody_has_scrolled(
    app: Site, cast: Cast, open_page: OpenPage
) -> None:
    ConnectionFactory(name="research-prod")
    page = open_page("operator")
    page.goto("/fleets/new")
    page.locator("summary").filter(has_text="Agents as a file").click()
    editor = page.locator("source-editor .cm-content")
    expect(editor).to_be_visible()
    page.set_input_files(
        "#id_agents_file",
        {"name": "agents.yaml", "mimeType": "text/yaml", "buffer": LONG.encode()},
    )
    problem = page.locator("#preflight .at").last
    expect(problem).to_have_attribute("data-line", str(2 * AGENTS + 2))
    problem.click()
    expect(editor).to_be_focused()
    expect(page.locator(".cm-activeLine")).to_have_text("  taks: last")
    page.keyboard.press("End")
    page.keyboard.type("s")
    page.get_by_label("Name", exact=True).focus()
    expect(page.locator("#id_agents")).to_have_value(LONG[:-1] + "s\n")
