"""The recorded production run through parser, follower and store (contract 3.5)."""

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from fleets.domain.status import StreamEnd, TurnState
from fleets.models import Agent, Turn, TurnEvent
from fleets.platform_api.client import PlatformClient
from fleets.services import following
from fleets.services.listening import Listening
from tests.factories import TurnFactory
from tests.support.recorded import RUN, asking_recorded

pytestmark = pytest.mark.django_db(transaction=True)

CONTENT = [event for event in RUN if event["type"] != "model-processing"]
SPOKEN = [
    event["data"]["part"]["text"]
    for event in RUN
    if event["type"] == "message.part.updated" and event["data"]["part"]["type"] == "text"
]


def followed_turn() -> Turn:
    turn: Turn = TurnFactory(
        state=TurnState.RUNNING, execution_id=RUN[1]["data"]["executionId"], follower="test"
    )
    return turn


def stored(turn: Turn) -> "QuerySet[TurnEvent]":
    return TurnEvent.objects.filter(turn_id=turn.pk)


def listening_to(turn: Turn) -> Listening:
    (stream,) = following.candidates(watched=(), now=timezone.now(), most=9)
    assert stream.turn_pk == turn.pk
    return Listening(stream)


def write(listening: Listening) -> None:
    heard = listening.news(now_s=1e12)
    assert heard is not None
    following.write([heard], owner="test", watched=(), now=timezone.now())
    listening.written(heard)


def hear(listening: Listening, run: list[dict[str, object]] | None = None) -> StreamEnd:
    async def listen(client: PlatformClient) -> StreamEnd:
        return await listening.listen(client)

    return asking_recorded(listen, RUN if run is None else run)


def test_every_frame_is_stored_once_and_beats_are_no_content() -> None:
    turn = followed_turn()
    listening = listening_to(turn)
    assert hear(listening) is StreamEnd.TERMINAL
    write(listening)

    rows = stored(turn).order_by("event_id")
    assert [row.event_id for row in rows] == [int(event["id"]) for event in CONTENT]
    assert [row.type for row in rows] == [event["type"] for event in CONTENT]
    assert [row.data for row in rows] == [event["data"] for event in CONTENT]


def test_told_twice_and_by_two_followers_it_is_stored_once() -> None:
    turn = followed_turn()
    one, other = listening_to(turn), listening_to(turn)
    twice = [event for event in RUN[:-1] for _ in range(2)] + RUN[-1:]
    for listening in (one, other):
        hear(listening, twice)
        write(listening)

    assert stored(turn).count() == len(CONTENT)
    assert Turn.objects.get(pk=turn.pk).last_event_id == len(RUN)


def test_the_running_tokens_are_those_of_the_result() -> None:
    turn = followed_turn()
    listening = listening_to(turn)
    hear(listening)
    write(listening)

    turn.refresh_from_db()
    usage = RUN[61]["data"]["tokenUsage"]
    assert turn.input_tokens == usage["inputTokens"] == 35_510
    assert turn.output_tokens == usage["outputTokens"] == 11_565
    assert turn.cached_tokens == usage["cacheReadInputTokens"] == 25_024
    agent = Agent.objects.get(pk=turn.agent_id)
    assert (agent.running_input_tokens, agent.running_output_tokens) == (35_510, 11_565)
    assert agent.last_event == "finished"


def test_the_text_grows_and_is_never_repeated_while_it_is_heard() -> None:
    listening = listening_to(followed_turn())
    hear(listening, [])
    grown: list[str] = []

    for length in range(1, len(RUN) + 1):
        hear(listening, RUN[:length])
        text = listening.fold.reading().text
        if text not in grown[-1:]:
            grown.append(text)

    assert grown == ["", *SPOKEN]


def test_a_stream_that_lost_a_frame_is_told_again_from_before_the_gap() -> None:
    turn = followed_turn()
    listening = listening_to(turn)
    assert hear(listening, [*RUN[:13], *RUN[14:]]) is StreamEnd.GAP
    write(listening)
    assert Turn.objects.get(pk=turn.pk).last_event_id == 13
    listening.start_over(end=StreamEnd.GAP)

    assert hear(listening) is StreamEnd.TERMINAL
    write(listening)
    assert stored(turn).count() == len(CONTENT)
    assert Turn.objects.get(pk=turn.pk).last_event_id == len(RUN)


def test_a_stream_that_ends_without_an_end_says_nothing_about_the_turn() -> None:
    turn = followed_turn()
    listening = listening_to(turn)
    assert hear(listening, RUN[:61]) is StreamEnd.UNFINISHED
    following.hold_off(turn.pk, owner="test", end=StreamEnd.UNFINISHED, tries=1, now=timezone.now())

    turn.refresh_from_db()
    assert (turn.state, turn.outcome, turn.stream_end) == ("running", None, "unfinished")
    assert following.candidates(watched=(), now=timezone.now(), most=9) == []
