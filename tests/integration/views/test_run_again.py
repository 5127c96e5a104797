"""Running a fleet again from its page: the sheet with its counts, the order, the refusals."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fleets.models import Fleet, Run, SealedSecret
from tests.factories import AgentFactory, FleetFactory, MachineFactory, RunFactory
from tests.integration.cast import Cast
from tests.support.markup import one_line

pytestmark = pytest.mark.django_db

TYPED = {"scope": "all", "only": "", "prompt": "Go on.", "form_key": "0123456789abcdef"}


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def client(cast: Cast) -> Client:
    return cast.client("operator")


@pytest.fixture
def fleet(cast: Cast) -> Fleet:
    now = timezone.now()
    row: Fleet = FleetFactory(
        name="review",
        team=cast.team,
        owner=cast.operator,
        key_id="key-1",
        key_secret=SealedSecret.seal("sk-tan-fleet-0000"),
        created_on_platform_at=now,
        settled_at=now,
        work_ended_at=now,
        agents_total=3,
    )
    machine = MachineFactory(fleet=row)
    for number, state in enumerate(("completed", "failed", "cancelled"), start=1):
        AgentFactory(machine=machine, fleet=row, agent_id=f"agent-{number}", state=state)
    RunFactory(fleet=row, number=1, ended_at=now)
    return row


def address(fleet: Fleet) -> str:
    return reverse("fleets:fleet_run_again", args=[fleet.public_id])


def text(response: Any) -> str:
    return str(response.content.decode())


def test_operators_see_the_sheet_and_order_and_nobody_else(cast: Cast, fleet: Fleet) -> None:
    expected = {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404}
    cast.expect(address(fleet), "GET", expected)
    cast.expect(
        address(fleet),
        "POST",
        {"admin": 303, "operator": 303, "viewer": 403, "stranger": 404},
        data=TYPED,
    )


def test_the_sheet_shows_how_many_each_choice_would_run(client: Client, fleet: Fleet) -> None:
    shown = one_line(client.get(address(fleet)))
    assert "3 of 3 agents have a running machine" in shown
    assert 'for="ra-failed">Those that did not complete</label> <span>2</span>' in shown
    assert "Run 3 again…" in one_line(client.get(f"/fleets/{fleet.public_id}"))


def test_in_the_dialog_only_the_sheet_is_sent(client: Client, fleet: Fleet) -> None:
    headers = {"HX-Request": "true", "HX-Target": "dialog#dialog"}
    shown = text(client.get(address(fleet), headers=headers))
    assert 'id="dialog-title"' in shown
    assert "<html" not in shown


@pytest.mark.parametrize(
    ("changes", "agents"),
    [
        ({}, ["agent-1", "agent-2", "agent-3"]),
        ({"scope": "not_completed"}, ["agent-2", "agent-3"]),
        ({"scope": "only", "only": "agent-3, agent-1 agent-3"}, ["agent-1", "agent-3"]),
        ({"only": "agent-3"}, ["agent-1", "agent-2", "agent-3"]),
    ],
)
def test_an_order_runs_who_was_chosen(
    client: Client, fleet: Fleet, changes: dict[str, str], agents: list[str]
) -> None:
    response = client.post(address(fleet), {**TYPED, **changes})
    assert response.status_code == 303
    run = Run.objects.get(fleet=fleet, number=2)
    tasks = run.tasks.order_by("position")
    assert list(tasks.values_list("agent__agent_id", flat=True)) == agents
    assert {task.prompt for task in run.tasks.all()} == {"Go on."}
    fleet.refresh_from_db()
    assert fleet.state == "running"
    assert (fleet.work_ended_at, fleet.cleanup_due_at) == (None, None)


def test_new_sessions_have_ids_of_their_own(client: Client, fleet: Fleet) -> None:
    before = set(fleet.agents.values_list("session_id", flat=True))
    client.post(address(fleet), {**TYPED, "is_fresh": "on"})
    after = set(fleet.agents.values_list("session_id", flat=True))
    assert len(after) == 3
    assert not before & after


def test_the_same_form_sent_twice_orders_once(client: Client, fleet: Fleet) -> None:
    for _ in range(2):
        assert client.post(address(fleet), TYPED).status_code == 303
    assert Run.objects.filter(fleet=fleet).count() == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scope": "only"}, "Name them"),
        ({"scope": "only", "only": "nobody"}, "There is no agent nobody"),
        ({"scope": "elsewhere"}, "not one of the available choices"),
        ({"prompt": "Use sk-tan-0123456789abcdef"}, "key (sk-…)"),
        ({"prompt": "Look at {agentid}"}, "is no field"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_keeps_what_was_typed(
    client: Client, fleet: Fleet, changes: dict[str, str], words: str
) -> None:
    response = client.post(address(fleet), {**TYPED, **changes})
    assert response.status_code == 422
    shown = text(response)
    assert words in shown
    assert TYPED["form_key"] in shown
    assert changes.get("prompt", "Go on.") in shown
    assert Run.objects.filter(fleet=fleet).count() == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"held_at": timezone.now()}, "Release it first"),
        ({"cut_off_requested_at": timezone.now()}, "Reopen it first"),
        ({"key_cap_nusd": 1}, "Reopen it first"),
        ({"key_revoked_at": timezone.now()}, "is revoked"),
        ({"key_secret": None}, "held elsewhere"),
        ({"remaining_nusd": 1_000_000}, "of the budget is left, and one call may hold"),
        ({"delete_requested_at": timezone.now()}, "is being deleted"),
        ({"deleted_at": timezone.now()}, "is deleted"),
        ({"created_on_platform_at": None}, "no such fleet yet"),
    ],
)
def test_why_not_now_is_one_sentence_before_and_after_the_order(
    client: Client, fleet: Fleet, changes: dict[str, Any], words: str
) -> None:
    Fleet.objects.filter(pk=fleet.pk).update(**changes)
    assert words in text(client.get(address(fleet)))
    response = client.post(address(fleet), TYPED)
    assert response.status_code == 409
    assert words in text(response)


def test_a_cut_off_fleet_is_offered_to_be_reopened(client: Client, fleet: Fleet) -> None:
    assert "Reopen…" not in text(client.get(address(fleet)))
    Fleet.objects.filter(pk=fleet.pk).update(key_cap_nusd=1)
    assert "Reopen…" in text(client.get(address(fleet)))


def test_open_work_and_machines_that_are_gone_are_refused(client: Client, fleet: Fleet) -> None:
    fleet.machines.update(status="stopped")
    assert "are stopped" in text(client.get(address(fleet)))
    fleet.machines.update(gone_at=timezone.now())
    assert "are gone" in text(client.get(address(fleet)))
    Run.objects.update(ended_at=None)
    assert "Work is still open" in text(client.get(address(fleet)))


def test_an_agent_on_a_machine_that_does_not_run_is_named(client: Client, fleet: Fleet) -> None:
    away = MachineFactory(fleet=fleet, machine_id="m9", status="failed")
    AgentFactory(machine=away, fleet=fleet, agent_id="agent-9", state="failed")
    response = client.post(address(fleet), {**TYPED, "scope": "only", "only": "agent-9"})
    assert response.status_code == 422
    assert "agent-9 (machine m9 is failed) cannot run" in text(response)


def test_a_fleet_without_a_budget_is_run_by_admins_only(cast: Cast, fleet: Fleet) -> None:
    Fleet.objects.filter(pk=fleet.pk).update(budget_nusd=None, key_id="", key_secret=None)
    assert cast.client("operator").post(address(fleet), TYPED).status_code == 403
    assert cast.client("admin").post(address(fleet), TYPED).status_code == 303
