"""The operation page: who reads it, what it proves, what it still costs."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import OperationKind, OperationState
from fleets.models import NodeKind, Operation
from tests.factories import FleetFactory, OperationFactory, OperationNodeFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 29, 12, 4, 31, 101000, tzinfo=UTC)
READERS = {"admin": 200, "operator": 200, "viewer": 200, "stranger": 404}


def cancel(**fields: object) -> Operation:
    fleet = FleetFactory(
        name="nightly-review", machines_running=15, cut_off_requested_at=AT, burn_nusd_per_min=0
    )
    operation: Operation = OperationFactory(
        fleet=fleet,
        public_id="op_41c00000000009e",
        kind=OperationKind.CANCEL,
        requested_at=AT,
        reason="looping on captcha",
        **fields,
    )
    soon = AT + timedelta(milliseconds=287)
    OperationNodeFactory(
        operation=operation, kind=NodeKind.KEY, label="key", state="done", key_at=soon
    )
    for n, state in enumerate(["stopped", "failed", "acknowledged"]):
        OperationNodeFactory(
            operation=operation,
            label=f"nightly-review/agent-{n}",
            ref=f"agent-{n}",
            state=state,
            requested_at=AT,
            result="502 after 3 tries: not confirmed" if state == "failed" else "",
        )
    return operation


def page(cast: Cast, operation: Operation, query: str = "", who: str = "operator") -> str:
    url = reverse("fleets:operation_detail", args=[operation.public_id])
    return cast.client(who).get(f"{url}{query}").content.decode()


def test_everybody_with_a_role_may_read_it() -> None:
    cast = Cast.gather()
    cast.expect(reverse("fleets:operation_detail", args=[cancel().public_id]), "GET", READERS)


def test_an_operation_that_never_was_is_404() -> None:
    url = reverse("fleets:operation_detail", args=["op_none"])
    Cast.gather().expect(url, "GET", dict.fromkeys(READERS, 404))


def test_the_head_says_what_by_whom_when_why_and_how_far() -> None:
    cast = Cast.gather()
    html = page(cast, cancel(state=OperationState.RUNNING))

    for words in (
        "Cancel nightly-review",
        "Stopping 2 of 4",
        "12:04:31.101",
        "looping on captcha",
        "by browser",
        "287 ms",
        "0 <small>of 2",
    ):
        assert words in html


def test_what_is_not_confirmed_stands_first_and_says_what_the_platform_said() -> None:
    html = page(Cast.gather(), cancel(state=OperationState.RUNNING))

    body = html[html.index("<tbody") :]
    assert body.index("Not confirmed") < body.index("Stopping") < body.index("Stopped")
    assert "502 after 3 tries" in body


def test_the_end_says_what_still_costs_and_offers_to_stop_the_machines() -> None:
    cast = Cast.gather()
    operation = cancel(state=OperationState.DONE, sentence="3 interrupted. 15 machines stay.")
    html = page(cast, operation)

    assert "15 machines stay." in html
    assert "Stop 15 machines" in html
    assert "Reopen…" in html
    assert "Stop 15 machines" not in page(cast, operation, who="viewer")


def test_a_filter_shows_its_nodes_only_and_an_empty_one_says_so() -> None:
    cast = Cast.gather()
    operation = cancel(state=OperationState.RUNNING)

    only = page(cast, operation, "?state=not-confirmed")
    assert "agent-1" in only[only.index("<tbody") :]
    assert "agent-0" not in only[only.index("<tbody") :]
    assert "Nothing matches" in page(cast, operation, "?state=came-back")


def test_a_retry_is_for_operators_and_takes_up_what_failed() -> None:
    cast = Cast.gather()
    operation = cancel(state=OperationState.FAILED, ended_at=AT)
    cast.expect(
        reverse("fleets:operation_retry", args=[operation.public_id]),
        "POST",
        {"admin": 303, "operator": 303, "viewer": 403, "stranger": 404},
    )
    operation.refresh_from_db()
    assert operation.state == OperationState.QUEUED
    assert not operation.nodes.filter(state="failed").exists()


def test_the_retry_is_offered_only_when_something_is_left() -> None:
    cast = Cast.gather()
    failed = cancel(state=OperationState.FAILED)
    assert "Retry 1 not confirmed" in page(cast, failed)
    assert "Retry" not in page(cast, failed, who="viewer")


def test_a_launch_shows_machine_by_machine() -> None:
    cast = Cast.gather()
    operation = OperationFactory(kind=OperationKind.LAUNCH, state=OperationState.RUNNING)
    for n, state in enumerate(["done", "running"]):
        OperationNodeFactory(
            operation=operation, kind=NodeKind.MACHINE, label=f"m{n + 1}", state=state
        )
    html = page(cast, operation)

    assert "Creating 1 of 2" in html
    assert "Ready" in html


def test_an_operation_without_nodes_says_so() -> None:
    assert "No nodes yet" in page(Cast.gather(), OperationFactory())


@pytest.mark.parametrize("target", ["operation-head", "operation-acts", "operation-nodes"])
def test_a_part_that_refreshes_itself_gets_only_itself(target: str) -> None:
    cast = Cast.gather()
    url = reverse("fleets:operation_detail", args=[cancel().public_id])
    html = (
        cast.client("viewer")
        .get(url, headers={"HX-Request": "true", "HX-Target": f"div#{target}"})
        .content.decode()
    )

    assert f'id="{target}"' in html
    assert "<html" not in html


def test_the_page_costs_the_same_for_4_and_for_150_nodes(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    cast = Cast.gather()
    operation = cancel()
    for extra in (0, 150):
        for n in range(extra):
            OperationNodeFactory(operation=operation, ref=f"more-{n}", state="stopped")
        client = cast.client("viewer")
        with django_assert_num_queries(6):
            client.get(reverse("fleets:operation_detail", args=[operation.public_id]))
