"""A session's page over its stream: each connection reads from its own cursor."""

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from fleets.domain.status import Role, TurnState
from fleets.live import publish
from fleets.live.appends import Appended
from fleets.live.channels import fleet_topic, session_topic
from fleets.live.fragments import Hint, Partial
from fleets.live.publish import position
from fleets.live.renderers.agent_session import session_changes, session_news
from fleets.live.tokens import Ticket, session_mark
from fleets.live.watched import mark_watched, watched_topics
from fleets.models import Turn, User
from tests.agent_frames import store, text, tool
from tests.factories import TurnFactory, UserFactory
from tests.integration.live.listening import Listener, listening, session_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def turn(redis_client: object) -> Turn:
    running: Turn = TurnFactory(state=TurnState.RUNNING, execution_id="execution-1")
    return running


@pytest.fixture
def viewer() -> User:
    user: User = UserFactory(role=Role.VIEWER)
    return user


def ticket(user: User, session: str, turn: Turn, *, cursor: str) -> Ticket:
    topics = (fleet_topic(turn.agent.fleet.public_id), session_topic(turn.agent_id))
    mark = session_mark(session)
    return Ticket("agent_session", topics, user.pk, user.rights_number, mark, cursor)


def appended(listener: Listener) -> list[dict[str, Any]]:
    """What the `append` messages brought, in order."""
    blocks = listener.received.decode().split("\n\n")
    found = [block.split("data: ", 1)[1] for block in blocks if "event: append" in block]
    return [item for body in found for item in json.loads(body)["items"]]


def news(turn: Turn, cursor: str) -> Appended:
    return session_news(session_topic(turn.agent_id), cursor)


def test_two_connections_are_each_sent_what_they_have_not_seen(turn: Turn, viewer: User) -> None:
    session = session_of(viewer)
    since = position()
    store(turn, [text(1, "one", "p1"), text(2, "two", "p2")])

    async def go() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        old = ticket(viewer, session, turn, cursor=f"{turn.pk}.0")
        new = ticket(viewer, session, turn, cursor=f"{turn.pk}.2")
        async with (
            listening(old, session, since=since) as first,
            listening(new, session, since=since) as second,
        ):
            await first.until("two")
            await sync_to_async(store)(turn, [text(3, "three", "p3")])
            await sync_to_async(publish)(session_topic(turn.agent_id), {"kind": "events"})
            await first.until("three")
            await second.until("three")
            return appended(first), appended(second)

    first, second = asyncio.run(go())
    said = ("one", "two", "three")
    assert [words for item in first for words in said if words in item["html"]] == [*said]
    assert len(second) == 1


def test_a_ring_that_was_lost_loses_nothing(turn: Turn, viewer: User) -> None:
    session = session_of(viewer)

    async def go() -> list[dict[str, Any]]:
        page = ticket(viewer, session, turn, cursor=f"{turn.pk}.0")
        async with listening(page, session, since=await sync_to_async(position)()) as listener:
            await listener.until("beat")
            await sync_to_async(store)(turn, [text(1, "unheard", "p1")])
            await sync_to_async(store)(turn, [text(2, "heard", "p2")])
            await sync_to_async(publish)(session_topic(turn.agent_id), {"kind": "events"})
            await listener.until(">heard")
            return appended(listener)

    assert len(asyncio.run(go())) == 2


def test_who_looks_at_a_session_is_known_to_followers(turn: Turn, viewer: User) -> None:
    session = session_of(viewer)

    async def go() -> frozenset[str]:
        page = ticket(viewer, session, turn, cursor="")
        async with listening(page, session) as listener:
            await listener.until("beat")
            for _ in range(1_000):
                if topics := await sync_to_async(watched_topics)():
                    return topics
                await asyncio.sleep(0.02)
        return frozenset()

    assert session_topic(turn.agent_id) in asyncio.run(go())


def test_what_nobody_says_again_is_not_looked_at(redis_client: Any) -> None:
    mark_watched(["session:1", "session:2"])
    redis_client.zadd("fleetdash:live:watched", {"session:1": 1.0})
    assert watched_topics() == {"session:2"}


def test_a_change_of_the_agent_is_news_of_its_session(turn: Turn, viewer: User) -> None:
    session = session_of(viewer)

    async def go() -> None:
        page = ticket(viewer, session, turn, cursor=f"{turn.pk}.0")
        async with listening(page, session, since=await sync_to_async(position)()) as listener:
            await listener.until("beat")
            change = {"kind": "agents", "ids": [turn.agent_id]}
            topic = fleet_topic(turn.agent.fleet.public_id)
            await sync_to_async(publish)(topic, change)
            await listener.until('id="session-title"')

    asyncio.run(go())


def test_an_item_that_grows_keeps_its_element(turn: Turn) -> None:
    store(turn, [text(1, "one", "p1"), tool(2, "t", "make", status="running")])
    first = news(turn, f"{turn.pk}.0")
    store(turn, [text(3, "one two", "p1"), tool(4, "t", "make")])
    second = news(turn, first.cursor)
    assert [item.id for item in first.items] == [item.id for item in second.items]
    assert second.cursor == f"{turn.pk}.4"
    assert news(turn, second.cursor).items == []


def test_a_new_turn_makes_the_page_fetch_it(turn: Turn) -> None:
    assert news(turn, "0.0").hints == ["transcript", "composer"]
    assert news(turn, "0.0").cursor == f"{turn.pk}.0"


@pytest.mark.parametrize("cursor", ["", "x", "1", "1.x", "-1.2", "9" * 80, "1.2.3", "'; --"])
def test_a_cursor_nobody_wrote_begins_anew(turn: Turn, cursor: str) -> None:
    store(turn, [text(1, "one", "p1")])
    assert news(turn, cursor).cursor == f"{turn.pk}.0"


def test_more_than_one_message_holds_is_fetched(turn: Turn) -> None:
    store(turn, [text(number, "x", f"p{number}") for number in range(1, 150)])
    found = news(turn, f"{turn.pk}.0")
    assert (found.items, found.hints, found.cursor) == ((), ["transcript"], f"{turn.pk}.149")


def test_the_end_of_a_turn_makes_the_page_read_it_whole(turn: Turn) -> None:
    topic = session_topic(turn.agent_id)
    running = session_changes(topic, [{"kind": "agent"}])
    assert {piece.target for piece in running if isinstance(piece, Partial)} == {
        "session-title", "session-meta", "session-turns",
        f"turn-{turn.pk}", f"turn-{turn.pk}-foot",
    }  # fmt: skip
    assert [piece for piece in running if isinstance(piece, Hint)] == []
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.ENDED, outcome="completed")
    ended = session_changes(topic, [{"kind": "agent"}])
    assert Hint("transcript") in ended
    assert session_changes("session:0", [{"kind": "agent"}]) == []


def test_what_only_its_fleet_is_told_changes_nothing_on_the_page(turn: Turn) -> None:
    topic = fleet_topic(turn.agent.fleet.public_id)
    changes: list[dict[str, Any]] = [{"kind": "head"}, {"kind": "agents", "ids": [turn.agent_id]}]
    assert session_changes(topic, changes) == []
