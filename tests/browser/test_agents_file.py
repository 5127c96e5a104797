"""A file of agents in the browser: chosen, seen, repaired, launched; a fleet run again."""

import json
import re
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from fleets.models import Fleet, Run
from tests.factories import ConnectionFactory
from tests.integration.cast import Cast

AGENTS = [
    {"agentId": "reviewer", "task": "Review."},
    {"agentId": "writer", "harness": "codex", "model": "gpt-5.5", "task": "Write."},
]


@pytest.fixture(autouse=True)
def account(cast: Cast) -> None:
    ConnectionFactory(name="research-prod")


def test_a_chosen_file_is_seen_repaired_and_launched(page: Page, tmp_path: Path) -> None:
    chosen = tmp_path / "agents.json"
    chosen.write_text(json.dumps(AGENTS))
    page.goto("/fleets/new")
    page.fill("#id_name", "night-shift")
    page.fill("#id_budget", "5.00")
    page.locator("summary").filter(has_text="Agents as a file").click()
    page.set_input_files("#id_agents_file", str(chosen))
    expect(page.locator("#id_agents")).to_have_value(json.dumps(AGENTS))
    expect(page.locator("#preflight")).to_contain_text("reviewer is asked")
    page.get_by_role("button", name="Name OPENAI_API_KEY").click()
    expect(page.locator("#id_agents")).to_have_value(re.compile("apiKeyEnv"))
    page.get_by_role("button", name="Launch 2 agents, ≤ $5.00").click()
    page.wait_for_url("**/fleets/fleet-*")
    writer = Fleet.objects.get().agents.get(agent_id="writer")
    assert writer.model_options == {"apiKeyEnv": "OPENAI_API_KEY"}


def test_a_fleet_is_run_again_from_its_menu(page: Page, cast: Cast) -> None:
    page.goto("/fleets/new")
    page.fill("#id_name", "twice")
    page.fill("#id_prompt", "Do {index}.")
    page.fill("#id_count", "3")
    page.get_by_role("button", name="Launch 3 agents, ≤ $1.00").click()
    page.wait_for_url("**/fleets/fleet-*")
    settle(Fleet.objects.get())
    page.reload()
    page.get_by_role("button", name="More acts").click()
    page.get_by_role("link", name="Run 3 again…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("3 of 3 agents have a running machine")
    dialog.get_by_label("Message").fill("Go on, {agent_id}.")
    dialog.get_by_role("button", name="Run again").click()
    page.wait_for_load_state()
    expect(page.locator("#fleet-title")).to_contain_text("Running")
    run = Run.objects.get(number=2)
    assert run.tasks.count() == 3


def settle(fleet: Fleet) -> None:
    """As after a run that has ended, its machines still there."""
    now = timezone.now()
    fleet.machines.update(status="running")
    fleet.agents.update(state="completed")
    Run.objects.filter(fleet=fleet).update(ended_at=now, next_tick_at=None)
    fleet.operations.update(state="done", ended_at=now)
    Fleet.objects.filter(pk=fleet.pk).update(
        created_on_platform_at=now, settled_at=now, work_ended_at=now, state="finished"
    )
