"""The platform's own catalog: read, published to, changed by others, and never twice by us."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed
from fleets.domain.status import OperationState, Role
from fleets.gateway import gateway
from fleets.models import AuditEvent, CatalogOrder, Connection, Profile, RemoteProfile
from fleets.selectors.profile_import import Verdict, import_preview
from fleets.services import catalog_orders
from fleets.services.actor import Actor
from fleets.services.catalog_orders import order_publication, order_reading
from fleets.services.catalog_reading import EVERY, forget_old_readings, order_due_readings
from fleets.services.catalog_work import perform_catalog_order
from fleets.services.profile_import import forget_expired
from fleets.services.profiles import create_profile, organisation_catalog, save_revision
from fleets.services.remote_profiles import pull
from tests.factories import UserFactory
from tests.support.driver import control

KEY = "sk-" + "live-8f3a9c1d2e4b"


@pytest.fixture
def connection(actor: Actor) -> Connection:
    """The emulator's account."""
    return Connection.objects.get()


def made(actor: Actor, slug: str = "reviewer", **body: Any) -> Profile:
    return create_profile(catalog=organisation_catalog(), slug=slug, body=body, actor=actor)


def put(connection: Connection, slug: str, body: dict[str, Any], *, base: int | None) -> int:
    """Somebody else's change on the platform; the new revision."""
    client = gateway().account(connection)
    return gateway().run(client.profiles.put(slug, profile=body, base=base)).revision


def perform(order: CatalogOrder) -> CatalogOrder:
    perform_catalog_order(order.public_id, owner="test")
    order.refresh_from_db()
    return order


def remote(slug: str = "reviewer") -> RemoteProfile:
    return RemoteProfile.objects.get(slug=slug)


def test_a_head_is_published_and_then_on_top_of_what_was_seen(
    connection: Connection, actor: Actor
) -> None:
    profile = made(actor, name="Reviewer")
    order = perform(order_publication(profile, connection, base=None, actor=actor))
    assert (order.state, order.sentence) == (OperationState.DONE, "r1 is r1 on the platform.")
    with pytest.raises(AlreadySo):
        order_publication(profile, connection, base=1, actor=actor)
    save_revision(profile, body={"name": "R"}, base=1, note="", actor=actor, publish=True)
    order = perform(order_publication(profile, connection, base=1, actor=actor))
    assert order.sentence == "r2 is r2 on the platform."
    assert json.loads(remote().body) == {"name": "R"}
    acts = AuditEvent.objects.filter(object_id="reviewer").values_list("act", flat=True)
    assert {"profile.publish_to_platform", "profile.published_to_platform"} <= set(acts)


def test_a_catalog_that_moved_refuses_and_shows_what_it_has(
    connection: Connection, actor: Actor
) -> None:
    profile = made(actor, name="Reviewer")
    order = order_publication(profile, connection, base=None, actor=actor)
    put(connection, "reviewer", {"name": "Theirs"}, base=None)
    order = perform(order)
    assert order.state == OperationState.FAILED
    assert "has r1 by now" in order.sentence
    assert json.loads(remote().body) == {"name": "Theirs"}
    with pytest.raises(Conflict, match="compare and choose"):
        order_publication(profile, connection, base=None, actor=actor)
    assert perform(order_publication(profile, connection, base=1, actor=actor)).state == "done"


def test_an_answer_that_was_lost_is_found_and_not_sent_again(
    connection: Connection, actor: Actor, emulator: EmulatorThread
) -> None:
    order = order_publication(made(actor, name="R"), connection, base=None, actor=actor)
    fault = {
        "kind": "timed_out_but_happened",
        "operation": "profiles.put",
        "count": 1,
        "latencyMs": 100,
    }
    control(emulator, "POST", "faults", fault)
    order = perform(order)
    assert order.ended_at is None
    assert "trying again" in order.sentence
    CatalogOrder.objects.update(next_attempt_at=order.requested_at)
    assert perform(order).state == OperationState.DONE
    assert remote().remote_revision == 1


def test_an_order_is_worked_on_by_one_and_ended_once(connection: Connection, actor: Actor) -> None:
    order = order_publication(made(actor, name="R"), connection, base=None, actor=actor)
    now = order.requested_at
    first = catalog_orders.claim(order.public_id, owner="a", now=now)
    assert first is not None
    assert catalog_orders.claim(order.public_id, owner="b", now=now) is None
    assert catalog_orders.end(first, state=OperationState.DONE, sentence="")
    assert not catalog_orders.end(first, state=OperationState.FAILED, sentence="")
    assert not perform_catalog_order(order.public_id, owner="b")
    assert catalog_orders.wake_overdue(now=now) == []


def test_reading_finds_what_is_there_what_changed_and_what_is_gone(
    connection: Connection, actor: Actor
) -> None:
    put(connection, "theirs", {"name": "Theirs"}, base=None)
    put(connection, "leaky", {"metadata": {"note": KEY}}, base=None)
    order = order_reading(connection, actor=actor)
    assert order_reading(connection, actor=actor) == order
    assert perform(order).sentence == "2 profiles on the platform, 2 changed."
    assert (remote("leaky").body, bool(remote("leaky").problem)) == ("", True)
    assert KEY not in str(list(RemoteProfile.objects.values()))
    put(connection, "theirs", {"name": "Newer"}, base=1)
    gateway().run(gateway().account(connection).profiles.delete("leaky"))
    assert "1 changed" in perform(order_reading(connection, actor=actor)).sentence
    assert (remote("theirs").remote_revision, remote("leaky").remote_revision) == (2, None)
    connection.refresh_from_db()
    assert connection.catalog_read_at is not None


def test_what_is_pulled_waits_as_an_import(connection: Connection, actor: Actor) -> None:
    made(actor, "mine", name="Mine")
    put(connection, "mine", {"name": "Changed"}, base=None)
    put(connection, "theirs", {"name": "Theirs"}, base=None)
    put(connection, "leaky", {"metadata": {"note": KEY}}, base=None)
    perform(order_reading(connection, actor=actor))
    kept = pull(
        connection, ["mine", "theirs", "leaky"], catalog=organisation_catalog(), actor=actor
    )
    assert actor.user is not None
    rows = import_preview(kept, actor.user).rows
    assert {row.candidate.slug: row.verdict for row in rows} == {
        "leaky": Verdict.REFUSED,
        "mine": Verdict.REVISION,
        "theirs": Verdict.NEW,
    }
    with pytest.raises(InvalidInput):
        pull(connection, ["none"], catalog=organisation_catalog(), actor=actor)


def test_a_viewer_orders_nothing(connection: Connection, actor: Actor) -> None:
    viewer = Actor(user=UserFactory(role=Role.VIEWER), door="browser")
    profile = made(actor, name="R")
    with pytest.raises(NotAllowed):
        order_publication(profile, connection, base=None, actor=viewer)
    with pytest.raises(NotAllowed):
        order_reading(connection, actor=viewer)


def test_a_catalog_is_read_by_itself_and_what_is_old_is_forgotten(
    connection: Connection, actor: Actor
) -> None:
    put(connection, "theirs", {"name": "Theirs"}, base=None)
    now = timezone.now()
    (order,) = order_due_readings(now=now)
    assert order_due_readings(now=now) == []
    assert perform(order).state == OperationState.DONE
    assert remote("theirs").remote_revision == 1
    assert order_due_readings(now=now + EVERY) == []
    (again,) = order_due_readings(now=timezone.now() + EVERY + timedelta(seconds=1))
    assert perform(again).state == OperationState.DONE

    kept = pull(connection, ["theirs"], catalog=organisation_catalog(), actor=actor)
    later = timezone.now() + timedelta(minutes=61)
    assert forget_old_readings(now=later) == 2
    assert forget_expired(now=kept.created_at + timedelta(minutes=59)) == 0
    assert forget_expired(now=later) == 1
