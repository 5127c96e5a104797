"""The body of a create fits what the platform takes, however many agents and however long tasks."""

import json
from typing import Any

import pytest

from fleets.services.actor import Actor
from fleets.services.performing.create_body import create_body
from tests.integration.driving.launching import launch

PLATFORM_TAKES = 240_000


def body_of(actor: Actor, **spec: Any) -> tuple[int, list[dict[str, Any]]]:
    body = create_body(launch(actor, budget_nusd=None, size="large", **spec))
    notes = [machine["metadata"]["fleetdash"] for machine in body["machines"]]
    return len(json.dumps(body)), notes


def test_a_small_fleet_says_what_its_agents_do(actor: Actor) -> None:
    _, notes = body_of(actor, count=12)
    assert notes[0]["agents"][0]["task"] == "[[ok]] Review part {index} as {agent_id}."


def test_long_tasks_travel_as_digests(actor: Actor) -> None:
    size, notes = body_of(actor, count=120, prompt="Review everything. " * 150)
    assert size < PLATFORM_TAKES
    assert all(one["task"].startswith("sha256:") for note in notes for one in note["agents"])


@pytest.mark.parametrize("count", [2_000, 10_000])
def test_a_large_fleet_says_how_many_agents_each_machine_has(actor: Actor, count: int) -> None:
    size, notes = body_of(actor, count=count)
    assert size < PLATFORM_TAKES
    assert sum(note["agentCount"] for note in notes) == count
