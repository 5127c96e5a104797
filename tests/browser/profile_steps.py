"""A profile's life in the browser: written, changed in form and source, fought over, restored.

Steps of a journey (test_catalog_journey.py).
"""

from playwright.sync_api import Page, expect

from fleets.models import Profile
from fleets.services.actor import Actor
from fleets.services.profiles import save_revision
from tests.integration.cast import Cast
from tests.support.site import Site


def fill(page: Page, label: str, text: str) -> None:
    """Fill a field; the check has seen what was typed, and kept it."""
    with page.expect_response("**/look"):
        page.get_by_label(label, exact=True).fill(text)
    expect(page.locator("#profile-problems")).to_contain_text("kept at")


def write_fight_over_and_restore(page: Page, app: Site, cast: Cast) -> None:
    """`code-reviewer`, of four revisions in the end; r3 is the head and runs with codex."""
    page.goto(app.address("fleets:profile_list"))
    page.get_by_role("link", name="New profile").first.click()
    fill(page, "System prompt", "You review.\nOne file at a time.")
    page.locator("#f-name").fill("Code reviewer")
    page.get_by_role("button", name="Save r1 and publish").click()
    expect(page.locator("h1")).to_have_text("Code reviewer")

    # The source shows what the form wrote; a typing mistake is found, named and repaired.
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("button", name="Source").click()
    source = page.locator("#source")
    text = source.input_value()
    assert "One file at a time." in text
    editor = page.locator("source-editor .cm-content")
    editor.fill(text.replace('"prompt"', '"harnes": "codex",\n  "prompt"'))
    problem = page.locator("#profile-problems li")
    expect(problem).to_contain_text("line 3, harnes")
    problem.get_by_role("link").click()
    expect(page.locator(".cm-activeLine")).to_have_text('  "harnes": "codex",')
    page.get_by_role("button", name="Make it harness").click()
    expect(page.locator("#profile-problems")).to_contain_text("Nothing against it")
    page.get_by_role("button", name="Form", exact=True).click()
    expect(page.get_by_label("Harness")).to_have_value("codex")
    fill(page, "Description", "Says what is wrong.")

    # A closed tab loses nothing, and meanwhile somebody else is faster.
    page.goto("about:blank")
    profile = Profile.objects.get()
    assert profile.head is not None
    theirs = {"name": "Code reviewer", "prompt": {"systemPrompt": "You review.\nEvery file."}}
    admin = Actor(cast.admin, door="browser")
    save_revision(profile, body=theirs, base=1, note="all files", actor=admin, publish=True)
    page.goto(app.address("fleets:profile_edit", profile.slug))
    expect(page.get_by_label("Description")).to_have_value("Says what is wrong.")
    page.get_by_role("button", name="Save r3 as a draft").click()
    late = page.get_by_role("alert").filter(has_text="saved r2")
    expect(late).to_contain_text(cast.admin.username)
    late.get_by_role("button", name="Rebase mine").click()
    expect(page.get_by_label("System prompt", exact=True)).to_have_value("You review.\nEvery file.")
    expect(page.get_by_label("Harness")).to_have_value("codex")
    page.get_by_label("Note").fill("for codex")
    page.get_by_role("button", name="Save r3 as a draft").click()

    # The draft is looked at and published; the first revision comes back as the fourth.
    page.get_by_role("link", name="what it changes").click()
    expect(page.locator("main")).to_contain_text("harness")
    page.get_by_role("button", name="Make r3 the head").click()
    page.get_by_role("link", name="Revisions").click()
    page.get_by_role("button", name="Restore r1 as a new revision").click()
    expect(page.locator("tbody tr").first).to_contain_text("from r1")
    profile.refresh_from_db()
    assert profile.newest == 4
    assert profile.revisions.get(number=4).body == profile.revisions.get(number=1).body
