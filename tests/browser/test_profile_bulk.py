"""A model is retired: the profiles that use it get another in one act, and back in one."""

from playwright.sync_api import expect

from fleets.models import Profile
from fleets.services.profiles import organisation_catalog
from tests.browser.conftest import OpenPage
from tests.factories import ProfileFactory
from tests.integration.cast import Cast
from tests.support.site import Site

OLD, NEW = "gpt-4.1-mini", "gpt-5-mini"


def test_a_model_is_retired_in_23_profiles_and_the_undo_brings_it_back(
    app: Site, cast: Cast, open_page: OpenPage
) -> None:
    shelf = organisation_catalog()
    for at in range(24):
        body = {"harness": "codex", "model": {"default": OLD if at else "claude"}}
        ProfileFactory(slug=f"worker-{at:02}", owner=cast.operator, body=body, catalog=shelf)
    ProfileFactory(slug="other", owner=cast.operator, catalog=shelf)
    page = open_page("operator")

    # Rows are chosen by key; filtering the list anew forgets them, so that none is hidden.
    page.goto(app.address("fleets:profile_list"))
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_text("1 chosen")).to_be_visible()
    page.get_by_label("Harness").select_option("codex")
    expect(page.get_by_text("24 of 24")).to_be_visible()
    expect(page.get_by_text("1 chosen")).to_be_hidden()
    assert page.locator("[data-pick]:checked").count() == 0

    page.get_by_role("link", name="Change all 24…").click()
    expect(page.locator("h1")).to_have_text("Change 24 profiles")
    page.get_by_label("From").first.select_option(OLD)
    page.get_by_label("To", exact=True).first.fill(NEW)
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("[name=take]:checked")).to_have_count(23)
    expect(page.locator("details", has_text="1 unchanged")).to_be_visible()
    assert not Profile.objects.filter(model=NEW).exists()
    page.get_by_label("Note, for every revision").fill("the old one is retired")
    page.get_by_role("button", name="Change the ticked").click()
    expect(page.locator("h1")).to_have_text(f"model {OLD} → {NEW}")
    expect(page.get_by_role("link", name="r1 → r2")).to_have_count(23)
    assert Profile.objects.filter(model=NEW, head__number=2).count() == 23

    page.get_by_role("button", name="Undo all 23").click()
    expect(page.get_by_role("main")).to_contain_text("23 brought back")
    assert Profile.objects.filter(model=OLD, head__number=3).count() == 23
