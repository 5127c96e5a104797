"""The event stream against a real Redis and a real database."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections
from django.db.models import F
from django.test import Client
from django.urls import reverse
from redis import Redis

from fleets.live import fragments, publish
from fleets.live.channels import EPOCH_KEY, STREAM_KEY, Change, rights_topic
from fleets.live.fragments import Hint, Partial, Piece
from fleets.live.publish import position
from fleets.models import User
from tests.factories import UserFactory
from tests.integration.live.listening import PATIENCE_S, listening, session_of, ticket_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis_client"),
]


@sync_to_async
def later(topic: str, *changes: Change) -> None:
    """Publish as a worker does, and give its database connection back."""
    try:
        publish(topic, *changes)
    finally:
        connections.close_all()


@pytest.fixture
def user() -> User:
    made: User = UserFactory(role="operator")
    return made


@pytest.fixture
def session(user: User) -> str:
    return session_of(user)


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Calls of a renderer for pages of the kind `test`; it patches a row for each id."""
    calls: list[Any] = []

    def renderer(topic: str, changes: Sequence[Change]) -> list[Piece]:
        calls.append((topic, list(changes)))
        pieces: list[Piece] = [
            Partial(f"row-{change['id']}", f"<i>{change['id']}</i>")
            for change in changes
            if "id" in change
        ]
        return [*pieces, Hint("head")]

    monkeypatch.setitem(fragments._renderers, "test", [renderer])
    return calls


@pytest.mark.parametrize(
    "wrong",
    ["no session", "another session", "old rights", "no role", "signed out", "inactive"],
)
def test_a_ticket_that_does_not_fit_is_refused(user: User, session: str, wrong: str) -> None:
    ticket = ticket_for(user, session, "fleets")
    if wrong == "old rights":
        User.objects.filter(pk=user.pk).update(rights_number=F("rights_number") + 1)
    elif wrong == "no role":
        User.objects.filter(pk=user.pk).update(role="")
    elif wrong == "inactive":
        User.objects.filter(pk=user.pk).update(is_active=False)
    elif wrong == "signed out":
        ticket = ticket_for(user, "gone", "fleets")
    key = {"no session": "", "another session": session_of(user), "signed out": "gone"}

    async def journey() -> int:
        async with listening(ticket, key.get(wrong, session)) as browser:
            await browser.end()
            return browser.status

    assert asyncio.run(journey()) == 403


def test_only_get_is_answered(user: User, session: str) -> None:
    async def journey() -> int:
        async with listening(ticket_for(user, session), session, method="POST") as browser:
            await browser.end()
            return browser.status

    assert asyncio.run(journey()) == 405


def test_a_stream_begins_with_a_beat_that_says_it_is_live(user: User, session: str) -> None:
    async def journey() -> None:
        async with listening(ticket_for(user, session), session, since=position()) as browser:
            await browser.until("event: beat")
            await browser.until('"live": true')
            assert browser.count("event: resync") == 0

    asyncio.run(journey())


def test_a_change_is_rendered_once_for_everybody_on_the_page(
    user: User, session: str, rendered: list[Any]
) -> None:
    async def journey() -> None:
        since = await sync_to_async(position)()
        ticket = ticket_for(user, session, "fleet:a")
        async with (
            listening(ticket, session, since=since) as one,
            listening(ticket, session, since=since) as two,
            listening(ticket_for(user, session, "fleet:b"), session, since=since) as other,
        ):
            for browser in (one, two, other):
                await browser.until("event: beat")
            await later("fleet:a", {"kind": "row", "id": 7})
            for browser in (one, two):
                await browser.until('<hx-partial hx-target="#row-7" hx-swap="outerMorph">')
                await browser.until("event: hint\ndata: head\n")
            assert other.count("row-7") == 0

    asyncio.run(journey())
    assert rendered == [("fleet:a", [{"kind": "row", "id": 7}])]


def test_changes_of_one_moment_are_gathered(user: User, session: str, rendered: list[Any]) -> None:
    async def journey() -> None:
        since = await sync_to_async(position)()
        ticket = ticket_for(user, session, "fleet:a")
        async with listening(ticket, session, since=since) as browser:
            await browser.until("event: beat")
            await sync_to_async(publish_all)()
            await browser.until("row-3")
            await asyncio.sleep(0.6)

    def publish_all() -> None:
        for number in range(20):
            publish("fleet:a", {"kind": "row", "id": number % 4})

    asyncio.run(journey())
    assert len(rendered) < 10
    assert {change["id"] for _, changes in rendered for change in changes} == {0, 1, 2, 3}


def test_what_happened_between_reading_and_listening_is_replayed(
    user: User, session: str, rendered: list[Any]
) -> None:
    since = position()
    publish("fleet:a", {"kind": "row", "id": 7})
    publish("fleet:b", {"kind": "row", "id": 8})

    async def journey() -> None:
        ticket = ticket_for(user, session, "fleet:a")
        async with listening(ticket, session, since=since) as browser:
            await browser.until("row-7")
            assert browser.count("row-8") == 0

    asyncio.run(journey())


def test_the_last_event_of_a_broken_connection_goes_before_the_pages_own(
    user: User, session: str, rendered: list[Any]
) -> None:
    since = position()
    publish("fleet:a", {"kind": "row", "id": 7})
    last = position()
    publish("fleet:a", {"kind": "row", "id": 8})

    async def journey() -> None:
        ticket = ticket_for(user, session, "fleet:a")
        async with listening(ticket, session, since=since, last_event_id=last) as browser:
            await browser.until("row-8")
            assert browser.count("row-7") == 0

    asyncio.run(journey())


@pytest.mark.parametrize("since", ["", "nonsense", "0123456789-5-0"])
def test_a_place_that_is_not_known_is_answered_with_resync(
    user: User, session: str, since: str
) -> None:
    async def journey() -> None:
        async with listening(ticket_for(user, session), session, since=since) as browser:
            await browser.until("event: resync")

    asyncio.run(journey())


def test_a_place_that_was_trimmed_away_is_answered_with_resync(
    user: User, session: str, redis_client: Redis
) -> None:
    publish("fleet:a", {"kind": "head"})
    since = position()
    for _ in range(3):
        publish("fleet:a", {"kind": "head"})
    redis_client.xtrim(STREAM_KEY, maxlen=1, approximate=False)

    async def journey() -> None:
        async with listening(ticket_for(user, session), session, since=since) as browser:
            await browser.until("event: resync")

    asyncio.run(journey())


def test_a_redis_that_was_emptied_under_an_open_stream_means_resync(
    user: User, session: str, redis_client: Redis
) -> None:
    async def journey() -> None:
        since = await sync_to_async(position)()
        async with listening(ticket_for(user, session), session, since=since) as browser:
            await browser.until("event: beat")
            redis_client.flushdb()
            await browser.until("event: resync")

    asyncio.run(journey())
    assert redis_client.get(EPOCH_KEY)


def test_a_change_of_rights_ends_the_streams_of_that_user_only(user: User, session: str) -> None:
    other: User = UserFactory(role="viewer")
    others_session = session_of(other)

    async def journey() -> None:
        since = await sync_to_async(position)()
        async with (
            listening(ticket_for(user, session), session, since=since) as mine,
            listening(ticket_for(other, others_session), others_session, since=since) as theirs,
        ):
            await mine.until("event: beat")
            await theirs.until("event: beat")
            await later(rights_topic(user.pk), {"kind": "rights"})
            await mine.end()
            assert not theirs.has_ended

    asyncio.run(journey())


@sync_to_async
def sign_out(session: str) -> None:
    """Press "Sign out" in the browser of that session."""
    try:
        client = Client()
        client.cookies[settings.SESSION_COOKIE_NAME] = session
        assert client.post(reverse("account_logout")).status_code == 302
    finally:
        connections.close_all()


def test_signing_out_ends_the_streams_of_that_session(user: User, session: str) -> None:
    async def journey() -> int:
        since = await sync_to_async(position)()
        ticket = ticket_for(user, session)
        async with listening(ticket, session, since=since) as browser:
            await browser.until("event: beat")
            await sign_out(session)
            await browser.end()
        async with listening(ticket, session, since=since) as again:
            await again.end()
            return again.status

    assert asyncio.run(journey()) == 403


def test_without_redis_the_stream_says_that_the_page_must_poll(
    user: User, session: str, settings: Any
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"

    async def journey() -> None:
        async with listening(ticket_for(user, session), session, since="") as browser:
            await browser.until('"live": false')
            assert browser.status == 200

    asyncio.run(journey())


def test_a_broken_renderer_makes_its_own_page_fetch_and_leaves_the_others_alone(
    user: User, session: str, rendered: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_topic: str, _changes: Sequence[Change]) -> list[Piece]:
        raise RuntimeError("no such row")

    monkeypatch.setitem(fragments._renderers, "broken", [broken])

    async def journey() -> None:
        since = await sync_to_async(position)()
        good, bad = (ticket_for(user, session, "fleet:a", page=page) for page in ("test", "broken"))
        async with (
            listening(good, session, since=since) as one,
            listening(bad, session, since=since) as two,
        ):
            await one.until("event: beat")
            await two.until("event: beat")
            await later("fleet:a", {"kind": "row", "id": 7})
            await one.until("row-7")
            await two.until("event: resync")

    asyncio.run(journey())


def test_a_replay_that_a_newer_patch_overtook_is_followed_by_a_resync(
    user: User, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_reading, is_told = threading.Event(), threading.Event()

    def renderer(_topic: str, changes: Sequence[Change]) -> list[Piece]:
        number = changes[0]["id"]
        if number == 7:  # what was missed: read early, told late
            is_reading.set()
            is_told.wait(PATIENCE_S)
        return [Partial(f"row-{number}", "")]

    monkeypatch.setitem(fragments._renderers, "test", [renderer])

    since = position()
    publish("fleet:a", {"kind": "row", "id": 7})
    now = position()

    async def journey() -> None:
        ticket = ticket_for(user, session, "fleet:a")
        async with listening(ticket, session, since=now) as other:
            await other.until("event: beat")
            async with listening(ticket, session, since=since) as browser:
                await asyncio.to_thread(is_reading.wait, PATIENCE_S)
                await later("fleet:a", {"kind": "row", "id": 8})
                # It is given to both at once; the browser gets it once its replay is read.
                await other.until("row-8")
                is_told.set()
                await browser.until("row-7")
                assert browser.received.index(b"row-8") < browser.received.index(b"row-7")
                await browser.until("event: resync")

    asyncio.run(journey())
