"""A definition in the browser: a matrix of three profiles × forty rows, written and launched."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fleets.models import Definition, Fleet, Task
from tests.factories import ConnectionFactory, ProfileFactory
from tests.integration.cast import Cast

PROFILES = ("reviewer", "tester", "writer")
ROWS = 40


@pytest.fixture(autouse=True)
def catalog(cast: Cast) -> None:
    ConnectionFactory(name="research-prod")
    for slug in PROFILES:
        ProfileFactory(slug=slug, body={"name": slug.title(), "harness": "opencode"})


def test_three_profiles_and_forty_rows_are_launched_each_with_its_prompt(
    page: Page, tmp_path: Path
) -> None:
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
    page.set_input_files("#id_rows_file", str(csv))
    expect(page.locator("#edit-rows")).to_contain_text("40 rows")
    expect(page.locator("#id_encoding")).to_have_value("cp1252")
    page.select_option("#id_column_id", "Shard")
    page.fill("#id_message", "{profile}: {frage}")
    page.fill("#id_budget", "50")
    expect(page.locator("#edit-preview")).to_contain_text("reviewer: Größe 1")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/definitions/shard-questions")
    assert Definition.objects.get().agents_count == len(PROFILES) * ROWS

    page.get_by_role("link", name="Rows & prompts").click()
    expect(page.locator(".prompts")).to_contain_text("tester: Größe 1")
    page.goto("/definitions/")
    page.get_by_role("link", name="Launch shard-questions").click()
    page.get_by_role("button", name="Launch 120 agents, ≤ $50.00").click()
    page.wait_for_url("**/fleets/fleet-*")

    fleet = Fleet.objects.get()
    assert fleet.definition_revision == Definition.objects.get().head
    tasks = Task.objects.filter(run__fleet=fleet).order_by("position")
    found = list(tasks.values_list("agent__agent_id", "agent__profile__name", "prompt"))
    assert found == [
        (f"s{number}-{slug}", slug.title(), f"{slug}: Größe {number}")
        for number in range(1, ROWS + 1)
        for slug in PROFILES
    ]
