"""The stop sheet and its acts: who may, what it says, pressed twice, refused with words."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fleets.domain.money import NUSD_PER_USD
from fleets.domain.status import Afterwards, FleetState, OperationKind, Role, TaskState
from fleets.models import AuditEvent, Fleet, Operation, Run, SealedSecret
from tests.factories import (
    PASSWORD,
    AgentFactory,
    FleetFactory,
    MachineFactory,
    OperationFactory,
    TaskFactory,
    UserFactory,
)
from tests.integration.cast import Cast
from tests.support.markup import one_line

pytestmark = pytest.mark.django_db

ACTORS = {"admin": 303, "operator": 303, "viewer": 403, "stranger": 404}
REASON = {"reason": "looping on captcha"}
HTMX = {"HX-Request": "true", "HX-Target": "dialog#dialog"}


def working_fleet(owner: AbstractBaseUser, **fields: object) -> Fleet:
    fleet: Fleet = FleetFactory(
        name="price-crawl",
        owner=owner,
        key_id="key_1",
        key_secret=SealedSecret.seal("sk-tan-1"),
        key_cap_nusd=3 * NUSD_PER_USD,
        spent_nusd=1_840_000_000,
        remaining_nusd=600_000_000,
        reserved_nusd=0,
        burn_nusd_per_min=100_000_000,
        settled_at=timezone.now(),
        agents_total=1,
        machines_total=1,
        machines_running=1,
        tasks_total=1,
        tasks_running=1,
        **fields,
    )
    agent = AgentFactory(machine=MachineFactory(fleet=fleet), agent_id="agent-1")
    TaskFactory(agent=agent, state=TaskState.RUNNING)
    return fleet


def act(name: str, fleet: Fleet) -> str:
    return reverse(f"fleets:{name}", args=[fleet.public_id])


def fresh(cast: Cast, who: str) -> Client:
    """A browser of somebody who signed in with the password a moment ago."""
    client = Client()
    login = {"login": getattr(cast, who).username, "password": PASSWORD}
    assert client.post(reverse("account_login"), login).status_code == 302
    return client


def newest(fleet: Fleet) -> Operation:
    return Operation.objects.filter(fleet=fleet).order_by("-pk")[0]


def test_only_operators_may_open_the_sheet() -> None:
    cast = Cast.gather()
    url = act("fleet_stop", working_fleet(cast.operator))
    cast.expect(url, "GET", {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404})


@pytest.mark.parametrize("name", ["fleet_hold", "fleet_cut_off", "fleet_cancel"])
def test_any_operator_may_stop_any_fleet_and_a_reader_none(name: str) -> None:
    cast = Cast.gather()
    fleet = working_fleet(UserFactory())
    cast.expect(act(name, fleet), "POST", ACTORS, data=REASON)


@pytest.mark.parametrize("name", ["fleet_release", "fleet_reopen"])
def test_what_was_stopped_can_be_undone_by_any_operator(name: str) -> None:
    cast = Cast.gather()
    now = timezone.now()
    fleet = working_fleet(UserFactory(), held_at=now, cut_off_requested_at=now)
    cast.expect(act(name, fleet), "POST", ACTORS, data=REASON)


def test_machines_may_be_stopped_once_the_work_is_over() -> None:
    cast = Cast.gather()
    fleet = working_fleet(UserFactory(), cancel_requested_at=timezone.now())
    cast.expect(act("fleet_stop_machines", fleet), "POST", ACTORS, data=REASON)


@pytest.mark.parametrize("name", ["fleet_hold", "fleet_cut_off", "fleet_cancel"])
def test_who_presses_second_is_told_whose_order_stands(name: str) -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin)
    first = cast.client("operator").post(act(name, fleet), REASON, follow=True)
    second = cast.client("admin").post(act(name, fleet), REASON, follow=True)
    assert first.request["PATH_INFO"] == second.request["PATH_INFO"]
    assert "Already ordered by operator-1 at" in second.content.decode()
    assert "Already ordered" not in first.content.decode()


@pytest.mark.parametrize("name", ["fleet_hold", "fleet_cancel", "fleet_afterwards"])
def test_acts_are_posted_and_never_followed(name: str) -> None:
    cast = Cast.gather()
    assert cast.client("admin").get(act(name, working_fleet(cast.admin))).status_code == 405


def test_the_sheet_says_figures_effects_and_preselects_the_cut_off() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin)
    html = one_line(cast.client("operator").get(act("fleet_stop", fleet)))

    for words in ("Stop price-crawl", "$1.84", "$0.10<small>/min", "~6 m 00 s", "1 machine stays"):
        assert words in html
    assert 'value="cut_off" id="s-cut_off" aria-describedby="d-cut_off" checked' in html
    assert "stopped by operator-1 at" in html
    assert "Only admin-1 or an admin can delete this fleet." in html


def test_under_htmx_the_sheet_comes_alone_for_the_dialog() -> None:
    cast = Cast.gather()
    url = act("fleet_stop", working_fleet(cast.admin))
    html = cast.client("operator").get(url, headers=HTMX).content.decode()

    assert 'id="dialog-title"' in html
    assert "<html" not in html


def test_an_act_leads_to_its_operation_and_writes_who_and_why() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin)
    response = cast.client("operator").post(act("fleet_cut_off", fleet), REASON)

    operation = newest(fleet)
    assert operation.kind == OperationKind.CUT_OFF
    assert response.headers["Location"] == f"/operations/{operation.public_id}"
    audit = AuditEvent.objects.get(act="fleet.cut_off")
    assert (audit.actor, audit.reason, audit.door) == (
        cast.operator,
        "looping on captcha",
        "browser",
    )


def test_under_htmx_an_act_sends_the_browser_to_its_operation() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin)
    response = cast.client("operator").post(act("fleet_hold", fleet), REASON, headers=HTMX)

    assert response.headers["HX-Redirect"] == f"/operations/{newest(fleet).public_id}"


@pytest.mark.parametrize("name", ["fleet_hold", "fleet_cut_off", "fleet_cancel"])
def test_pressed_twice_it_is_one_operation(name: str) -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin)
    client = cast.client("operator")
    first = client.post(act(name, fleet), REASON)
    second = client.post(act(name, fleet), REASON)

    assert first.headers["Location"] == second.headers["Location"]
    assert Operation.objects.filter(fleet=fleet).count() == 1


def test_without_a_reason_the_sheet_comes_back_with_what_was_chosen() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin)
    response = cast.client("operator").post(
        act("fleet_cancel", fleet), {"strength": "cancel", "reason": " "}
    )

    html = one_line(response)
    assert response.status_code == 422
    assert "A reason is missing" in html
    assert 'value="cancel" id="s-cancel" aria-describedby="d-cancel" checked' in html
    assert not Operation.objects.filter(fleet=fleet).exists()


def test_enter_in_the_reason_does_what_is_chosen_and_nothing_else() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin)
    cast.client("operator").post(act("fleet_stop", fleet), {"strength": "cancel", **REASON})

    assert newest(fleet).kind == OperationKind.CANCEL


def test_the_machines_stop_too_when_that_is_ticked() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin)
    response = cast.client("operator").post(
        act("fleet_cancel", fleet), {"stop_machines": "on", **REASON}
    )

    kinds = set(Operation.objects.filter(fleet=fleet).values_list("kind", flat=True))
    assert kinds == {OperationKind.CANCEL, OperationKind.STOP_MACHINES}
    cancel = Operation.objects.get(fleet=fleet, kind=OperationKind.CANCEL)
    assert response.headers["Location"].endswith(cancel.public_id)


def test_a_fleet_without_a_key_cannot_be_cut_off_and_the_sheet_says_why() -> None:
    cast = Cast.gather()
    fleet = FleetFactory(budget_nusd=None)
    html = cast.client("operator").get(act("fleet_stop", fleet)).content.decode()
    refused = cast.client("operator").post(act("fleet_cut_off", fleet), REASON)

    assert "no key of its own that could be cut off" in html
    assert refused.status_code == 409


def test_a_fleet_that_is_gone_answers_409_with_words() -> None:
    cast = Cast.gather()
    fleet = FleetFactory(state=FleetState.DELETED, deleted_at=timezone.now())
    response = cast.client("admin").post(act("fleet_hold", fleet), REASON)

    assert response.status_code == 409
    assert "is deleted" in response.content.decode()


def test_an_operator_deletes_own_fleets_and_is_told_who_can_delete_others() -> None:
    cast = Cast.gather()
    own, foreign = working_fleet(cast.operator), working_fleet(cast.admin)
    client = fresh(cast, "operator")

    assert client.get(act("fleet_delete", own)).status_code == 200
    refused = client.get(act("fleet_delete", foreign))
    assert refused.status_code == 403
    assert "Ask admin-1 or an admin" in refused.content.decode()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_deleting_asks_for_the_password_again_when_it_is_old(method: str) -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.operator)
    cast.expect(
        act("fleet_delete", fleet),
        method,
        {"admin": 302, "operator": 302, "viewer": 403, "stranger": 404},
        data={"typed_name": fleet.name, **REASON},
    )
    assert not Operation.objects.filter(fleet=fleet).exists()


def test_after_the_password_the_delete_goes_on_where_it_was() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.operator)
    client = cast.client("operator")
    asked = client.post(act("fleet_delete", fleet), {"typed_name": fleet.name, **REASON})
    client.post(asked.headers["Location"], {"password": PASSWORD})

    assert newest(fleet).kind == OperationKind.DELETE


def test_the_delete_sheet_lists_what_goes() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.operator)
    html = one_line(fresh(cast, "operator").get(act("fleet_delete", fleet)))

    for words in ("1 fleet", "1 agent running now", "1 machine with", "$0.60"):
        assert words in html


def post_delete(cast: Cast, fleet: Fleet, typed_name: str) -> Any:
    data = {"typed_name": typed_name, **REASON}
    response: Any = fresh(cast, "operator").post(act("fleet_delete", fleet), data)
    return response


def test_a_wrong_name_deletes_nothing_and_says_what_to_type() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.operator)
    response = post_delete(cast, fleet, "price-craw")

    assert response.status_code == 422
    assert "Type the fleet&#x27;s name, price-crawl" in response.content.decode()
    assert not Operation.objects.filter(fleet=fleet).exists()


def test_the_pasted_name_with_a_blank_deletes_once_however_often_it_is_pressed() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.operator)
    first, second = (post_delete(cast, fleet, "price-crawl ") for _ in range(2))

    assert first.headers["Location"] == second.headers["Location"]
    assert Operation.objects.filter(fleet=fleet, kind=OperationKind.DELETE).count() == 1


def test_keeping_the_machines_takes_the_countdown_away_at_once() -> None:
    cast = Cast.gather()
    fleet = working_fleet(
        cast.operator,
        state=FleetState.FINISHED,
        work_ended_at=timezone.now(),
        cleanup_due_at=timezone.now() + timedelta(minutes=29),
    )
    response = cast.client("operator").post(
        act("fleet_afterwards", fleet), {"after": "keep"}, headers=HTMX
    )

    fleet.refresh_from_db()
    assert (fleet.after, fleet.cleanup_due_at) == (Afterwards.KEEP, None)
    assert "then keep the machines" in response.content.decode()


@pytest.mark.parametrize("minutes", ["-1", "10081", "ten"])
def test_a_delay_that_cannot_be_is_refused_in_words(minutes: str) -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.operator)
    data = {"after": "delete", "delay": minutes}
    answer = cast.client("operator").post(act("fleet_afterwards", fleet), data)

    fleet.refresh_from_db()
    html = answer.content.decode()
    assert (answer.status_code, fleet.after_delay_s) == (422, 1800)
    assert 'id="delay-error"' in html
    assert f'name="delay" value="{minutes}"' in html


def test_afterwards_is_changed_by_owner_and_admin_only() -> None:
    cast = Cast.gather()
    fleet = working_fleet(UserFactory(role=Role.OPERATOR))
    cast.expect(
        act("fleet_afterwards", fleet),
        "POST",
        {"admin": 303, "operator": 403, "viewer": 403, "stranger": 404},
        data={"after": "stop", "delay": "5"},
    )


def test_an_old_operation_is_not_taken_for_a_new_order() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin, held_at=timezone.now())
    hours_ago = timezone.now() - timedelta(hours=2)
    OperationFactory(
        fleet=fleet, kind=OperationKind.HOLD, requested_at=hours_ago, ended_at=hours_ago
    )
    response = cast.client("operator").post(act("fleet_hold", fleet), REASON)

    assert response.status_code == 409
    assert "held already" in response.content.decode()


def test_work_that_is_over_cannot_be_held_even_if_it_was_held_before() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin, state=FleetState.FINISHED)
    Run.objects.filter(fleet=fleet).update(ended_at=timezone.now())
    OperationFactory(fleet=fleet, kind=OperationKind.HOLD, requested_at=timezone.now())
    response = cast.client("operator").post(act("fleet_hold", fleet), REASON)

    fleet.refresh_from_db()
    assert (response.status_code, fleet.held_at) == (409, None)
    assert "no work left to hold" in response.content.decode()


def test_a_release_without_work_does_not_claim_that_any_begins() -> None:
    cast = Cast.gather()
    fleet = working_fleet(cast.admin, state=FleetState.CANCELLED, held_at=timezone.now())
    Run.objects.filter(fleet=fleet).update(ended_at=timezone.now())
    cast.client("operator").post(act("fleet_release", fleet), REASON)

    assert (
        newest(fleet).sentence
        == "Released. No work of it is left to begin; a next run is not held."
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("fleet_hold", OperationKind.HOLD),
        ("fleet_release", OperationKind.RELEASE),
        ("fleet_cut_off", OperationKind.CUT_OFF),
        ("fleet_reopen", OperationKind.REOPEN),
        ("fleet_cancel", OperationKind.CANCEL),
        ("fleet_stop_machines", OperationKind.STOP_MACHINES),
    ],
)
def test_a_deleted_fleet_says_so_whatever_was_ordered_a_moment_ago(
    name: str, kind: OperationKind
) -> None:
    cast = Cast.gather()
    fleet = FleetFactory(state=FleetState.DELETED, deleted_at=timezone.now())
    OperationFactory(fleet=fleet, kind=kind, requested_at=timezone.now())
    response = cast.client("admin").post(act(name, fleet), REASON)

    assert response.status_code == 409
    assert "is deleted" in response.content.decode()


def test_the_sheet_of_a_deleted_fleet_offers_nothing() -> None:
    cast = Cast.gather()
    now = timezone.now()
    fleet = FleetFactory(
        state=FleetState.DELETED, deleted_at=now, held_at=now, cut_off_requested_at=now
    )
    html = cast.client("admin").get(act("fleet_stop", fleet)).content.decode()

    assert "Release now" not in html
    assert "Reopen now" not in html


@pytest.mark.parametrize(("after", "keeps"), [(Afterwards.DELETE, True), (Afterwards.STOP, False)])
def test_machines_stopped_by_hand_keep_the_date_of_their_delete(
    after: Afterwards, keeps: bool
) -> None:
    cast = Cast.gather()
    fleet = working_fleet(
        cast.admin,
        state=FleetState.FINISHED,
        after=after,
        work_ended_at=timezone.now(),
        cleanup_due_at=timezone.now() + timedelta(minutes=29),
    )
    Run.objects.filter(fleet=fleet).update(ended_at=timezone.now())
    cast.client("operator").post(act("fleet_stop_machines", fleet), REASON)

    fleet.refresh_from_db()
    assert (fleet.cleanup_due_at is not None) == keeps
