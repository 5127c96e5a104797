"""The data set: every state, money that adds up, nobody who drives it, and nothing else touched."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from fleets.domain.status import FleetState, Role
from fleets.models import Agent, Connection, Fleet, Operation, Run, Turn, User
from fleets.services import afterwards, operations, watch
from fleets.services.demo.catalog import STORIES
from fleets.services.driving import lease
from tests.factories import ConnectionFactory, FleetFactory, OperationFactory


def demo(*words: str) -> str:
    out = io.StringIO()
    call_command("demo", *words, stdout=out)
    return out.getvalue()


@pytest.fixture(scope="module")
def filled(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """The data set, filled in once for all tests of this file; what it printed."""
    with django_db_blocker.unblock():
        connection = ConnectionFactory()
        yield demo()
        demo("--reset")
        connection.delete()


@pytest.fixture
def printed(filled: str, db: None) -> str:
    """What the filling printed; changes of the test are rolled back."""
    return filled


def test_every_state_is_there_with_a_tree_and_a_large_fleet(printed: str) -> None:
    assert set(Fleet.objects.values_list("state", flat=True)) == set(FleetState)
    assert Fleet.objects.count() == len(STORIES)
    assert Fleet.objects.get(agents_total=2500).agents.count() == 2500
    assert Fleet.objects.filter(depth=2).exists()
    assert Operation.objects.filter(state="failed").exists()


def test_money_adds_up(printed: str) -> None:
    for fleet in Fleet.objects.filter(budget_nusd__isnull=False).exclude(state="creating"):
        spent, reserved = fleet.spent_nusd or 0, fleet.reserved_nusd or 0
        remaining = fleet.remaining_nusd or 0
        held = (fleet.key_cap_nusd or 0) - spent - reserved - remaining
        assert held >= 0, fleet.name
        turns = sum(t.cost_nusd or 0 for t in Turn.objects.filter(run__fleet=fleet))
        children = sum(child.spent_nusd or 0 for child in fleet.children.all())
        assert spent >= turns + children, fleet.name


def test_times_are_in_order_and_never_in_the_future(printed: str) -> None:
    now = timezone.now()
    for turn in Turn.objects.select_related("run__fleet"):
        assert turn.requested_at is not None
        assert turn.run.fleet.created_at <= turn.requested_at <= now
        assert turn.ended_at is None or turn.requested_at < turn.ended_at <= now
    assert not Agent.objects.filter(last_event_at__gt=now).exists()


def test_nobody_drives_it(printed: str) -> None:
    now = timezone.now()

    assert lease.due_runs(now=now) == []
    assert operations.overdue(now=now) == []
    assert watch._due(now) == []
    assert afterwards.carry_out_due(now=now) == 0
    assert not Run.objects.filter(next_tick_at__isnull=False).exists()


def test_people_of_every_role_get_a_password_that_is_shown_once(printed: str) -> None:
    people = {user.username: user for user in User.objects.all()}
    roles = {name: people[name].role for name in ("viewer", "operator", "admin2", "stranger")}
    assert roles == {
        "viewer": Role.VIEWER,
        "operator": Role.OPERATOR,
        "admin2": Role.ADMIN,
        "stranger": Role.STRANGER,
    }
    shown = dict(line.split() for line in printed.splitlines() if line.startswith("  "))
    assert all(people[name].check_password(word) for name, word in shown.items())

    again = demo()

    assert "passwords stay" in again
    assert User.objects.get(username="viewer").check_password(shown["viewer"])
    assert Fleet.objects.count() == len(STORIES)


def test_reset_removes_only_what_it_made(printed: str) -> None:
    User.objects.filter(username="viewer").update(email="viewer@example.org")
    real = FleetFactory(name="real", tags=["demo"], connection=Connection.objects.get())
    OperationFactory(fleet=real, kind="launch", door="browser")

    demo("--reset")

    assert list(Fleet.objects.values_list("name", flat=True)) == ["real"]
    assert User.objects.filter(username="viewer").exists()
    assert not User.objects.filter(email__endswith="@demo.invalid").exists()
    assert demo("--reset").startswith("0 ")


def test_without_a_platform_account_it_says_what_to_do(printed: str) -> None:
    demo("--reset")
    Connection.objects.all().delete()
    err = io.StringIO()

    with pytest.raises(SystemExit) as end:
        call_command("demo", stderr=err)

    assert end.value.code == 2
    assert "manage.py setup" in err.getvalue()
