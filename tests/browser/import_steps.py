"""A folder of agents is imported: read with its paths, looked at, confirmed.

Steps of a journey (test_catalog_journey.py).
"""

from pathlib import Path

from playwright.sync_api import Page, expect

from fleets.models import Profile

JUDGE = "---\nname: judge\npermissionMode: plan\ntools:\n  - Read\n---\nYou judge.\n"


def import_a_folder(page: Page, tmp_path: Path) -> None:
    """`judge` and `poet`, both of claude-code; what is lost of one is accepted first."""
    before = Profile.objects.count()
    agents = tmp_path / "team" / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "judge.md").write_text(JUDGE)
    (agents / "poet.md").write_text("---\nname: poet\n---\nYou rhyme.\n")
    (agents / "broken.md").write_text("---\nname: [broken\n---\n")
    (tmp_path / "team" / "picture.png").write_bytes(b"\x89PNG")
    page.goto("/profiles/")
    page.get_by_role("link", name="Import").click()
    page.get_by_label("A folder").set_input_files(tmp_path / "team")
    page.get_by_role("button", name="Read and preview").click()

    expect(page.get_by_text("team/.claude/agents/judge.md")).to_be_visible()
    expect(page.get_by_text("the front matter is no YAML")).to_be_visible()
    expect(page.get_by_text("picture.png")).to_have_count(0)
    page.get_by_role("button", name="Import the chosen").click()
    expect(page.get_by_role("alert")).to_contain_text("accept what would be lost")
    assert Profile.objects.count() == before

    page.get_by_label("Import judge without").check()
    page.get_by_role("button", name="Import the chosen").click()
    expect(page.get_by_role("heading", name="Imported")).to_be_visible()
    page.get_by_role("link", name="judge").click()
    expect(page.get_by_role("heading", name="judge")).to_be_visible()
    judge = Profile.objects.get(slug="judge")
    assert (judge.harness, judge.head is not None) == ("claude-code", True)
    assert Profile.objects.count() == before + 2
