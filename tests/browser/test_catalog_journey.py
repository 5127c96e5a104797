"""From the first profile to a launched fleet, on real pages.

A profile is written, changed, fought over by two people and restored; a folder of others is
imported; a matrix of the three × forty rows is defined, and launched.
"""

from pathlib import Path

from playwright.sync_api import Page, expect

from fleets.models import Definition, Fleet, Task
from tests.browser.conftest import OpenPage
from tests.browser.import_steps import import_a_folder
from tests.browser.profile_steps import write_fight_over_and_restore
from tests.factories import ConnectionFactory
from tests.integration.cast import Cast
from tests.support.site import Site

PROFILES = ("code-reviewer", "judge", "poet")
NAMES = ("Code reviewer", "judge", "poet")
CLAUDE = "anthropic/claude-sonnet-5-5"
ROWS = 40


def test_from_the_first_profile_to_a_launched_matrix(
    app: Site, cast: Cast, open_page: OpenPage, tmp_path: Path
) -> None:
    ConnectionFactory(name="research-prod")
    page = open_page("operator")
    write_fight_over_and_restore(page, app, cast)
    import_a_folder(page, tmp_path)
    define_a_matrix(page, tmp_path)
    launch_it(page)


def define_a_matrix(page: Page, tmp_path: Path) -> None:
    """`shard-questions`: every profile gets every row, each with its own prompt."""
    csv = tmp_path / "shards.csv"
    lines = [f"s{number};Größe {number}\n" for number in range(1, ROWS + 1)]
    csv.write_bytes(("Shard;Frage\n" + "".join(lines)).encode("cp1252"))

    page.goto("/definitions/")
    page.get_by_role("link", name="New definition").first.click()
    page.fill("#id_name", "shard-questions")
    page.get_by_label("profiles × rows of a CSV").check()
    page.fill("#id_v0_profile", PROFILES[0])
    for place, slug in enumerate(PROFILES[1:], start=1):
        page.get_by_role("button", name="Another profile").click()
        page.fill(f"#id_v{place}_profile", slug)
        page.get_by_label(f"Model of profile {place + 1}").fill(CLAUDE)
    page.set_input_files("#id_rows_file", str(csv))
    expect(page.locator("#edit-rows")).to_contain_text("40 rows")
    expect(page.locator("#id_encoding")).to_have_value("cp1252")
    page.select_option("#id_column_id", "Shard")
    page.fill("#id_message", "{profile}: {frage}")
    page.fill("#id_budget", "50")
    expect(page.locator("#edit-preview")).to_contain_text("code-reviewer: Größe 1")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/definitions/shard-questions")
    assert Definition.objects.get().agents_count == len(PROFILES) * ROWS

    page.get_by_role("link", name="Rows & prompts").click()
    expect(page.locator(".prompts")).to_contain_text("judge: Größe 1")


def launch_it(page: Page) -> None:
    """120 agents, each with the prompt that its row and its profile make."""
    page.goto("/definitions/")
    page.get_by_role("link", name="Launch shard-questions").click()
    page.get_by_role("button", name="Launch 120 agents, ≤ $50.00").click()
    page.wait_for_url("**/fleets/fleet-*")

    fleet = Fleet.objects.get()
    assert fleet.definition_revision == Definition.objects.get().head
    tasks = Task.objects.filter(run__fleet=fleet).order_by("position")
    found = list(tasks.values_list("agent__agent_id", "agent__profile__name", "prompt"))
    assert found == [
        (f"s{number}-{slug}", name, f"{slug}: Größe {number}")
        for number in range(1, ROWS + 1)
        for slug, name in zip(PROFILES, NAMES, strict=True)
    ]
