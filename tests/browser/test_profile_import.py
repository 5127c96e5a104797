"""A folder of agents is imported: read with its paths, looked at, confirmed."""

from pathlib import Path

from playwright.sync_api import expect

from fleets.models import Profile
from tests.browser.conftest import OpenPage

JUDGE = "---\nname: judge\npermissionMode: plan\ntools:\n  - Read\n---\nYou judge.\n"


def test_a_folder_is_imported_after_its_losses_were_accepted(
    open_page: OpenPage, tmp_path: Path
) -> None:
    agents = tmp_path / "team" / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "judge.md").write_text(JUDGE)
    (agents / "poet.md").write_text("---\nname: poet\n---\nYou rhyme.\n")
    (agents / "broken.md").write_text("---\nname: [broken\n---\n")
    (tmp_path / "team" / "picture.png").write_bytes(b"\x89PNG")
    page = open_page("operator")
    page.goto("/profiles/")
    page.get_by_role("link", name="Import").click()
    page.get_by_label("A folder").set_input_files(tmp_path / "team")
    page.get_by_role("button", name="Read and preview").click()

    expect(page.get_by_text("team/.claude/agents/judge.md")).to_be_visible()
    expect(page.get_by_text("the front matter is no YAML")).to_be_visible()
    expect(page.get_by_text("picture.png")).to_have_count(0)
    page.get_by_role("button", name="Import the chosen").click()
    expect(page.get_by_role("alert")).to_contain_text("accept what would be lost")
    assert not Profile.objects.exists()

    page.get_by_label("Import judge without").check()
    page.get_by_role("button", name="Import the chosen").click()
    expect(page.get_by_role("heading", name="Imported")).to_be_visible()
    page.get_by_role("link", name="judge").click()
    expect(page.get_by_role("heading", name="judge")).to_be_visible()
    judge = Profile.objects.get(slug="judge")
    assert (judge.harness, judge.head is not None) == ("claude-code", True)
    assert Profile.objects.count() == 2
