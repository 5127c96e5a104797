"""The follower hears turns while they run; the tick needs none of it."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.domain.status import StreamEnd, TurnState
from fleets.live.channels import session_topic
from fleets.live.watched import living_followers, mark_watched
from fleets.models import Agent, Fleet, Run, Turn, TurnEvent
from fleets.services import following
from fleets.services.actor import Actor
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_to_end, drive_until
from tests.support.follower import follow_until, follower_process

SLOW = "[[ok]] [[slow 4]] [[calls 4]] Review part {index}."


def running(actor: Actor, *, count: int = 3, prompt: str = SLOW) -> Fleet:
    """A fleet whose turns all run."""
    fleet = launch(actor, count=count, prompt=prompt, at_once=count)

    def all_run() -> bool:
        return Turn.objects.filter(run__fleet=fleet, state=TurnState.RUNNING).count() == count

    drive_until(all_run)
    return fleet


def stored(fleet: Fleet) -> Counter[int]:
    return Counter(TurnEvent.objects.filter(fleet_id=fleet.pk).values_list("turn_id", flat=True))


def heard(fleet: Fleet, *, frames: int) -> bool:
    counts = stored(fleet)
    return len(counts) == Turn.objects.filter(run__fleet=fleet).count() and all(
        count >= frames for count in counts.values()
    )


def no_frame_twice(fleet: Fleet) -> bool:
    rows = TurnEvent.objects.filter(fleet_id=fleet.pk).values_list("turn_id", "event_id")
    return len(rows) == len(set(rows))


def test_frames_and_the_live_line_are_there_while_the_turn_runs(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = running(actor)

    follow_until(
        lambda: (
            heard(fleet, frames=12)
            and Agent.objects.filter(fleet=fleet, running_input_tokens__gt=0).count() == 3
        )
    )

    agents = Agent.objects.filter(fleet=fleet)
    assert all(agent.last_event and agent.last_event != "turn admitted" for agent in agents)
    turns = Turn.objects.filter(run__fleet=fleet)
    assert {turn.state for turn in turns} == {"running"}
    assert all(turn.last_event_id > 5 and turn.follower == "" for turn in turns)
    assert not TurnEvent.objects.filter(fleet_id=fleet.pk, type="model-processing").exists()


def test_the_tick_ends_what_was_followed_with_the_same_figures(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = running(actor)
    follow_until(lambda: heard(fleet, frames=5))

    fleet = drive_to_end(fleet)

    assert (fleet.state, fleet.tasks_completed) == ("finished", 3)
    assert no_frame_twice(fleet)
    for agent in Agent.objects.filter(fleet=fleet):
        turn = Turn.objects.get(agent=agent)
        assert (agent.input_tokens, agent.cost_nusd) == (turn.input_tokens, turn.cost_nusd)
        assert agent.running_input_tokens is None
    assert Run.objects.get(fleet=fleet).streams == 3


def test_a_run_makes_as_many_requests_with_a_follower_as_without(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = running(actor)
    follow_until(lambda: heard(fleet, frames=5))
    drive_to_end(fleet)
    seen = [entry["operation"] for entry in control(emulator, "GET", "journal")["entries"]]

    # One stream for each turn by the follower, one by the tick that ends it, one to see it warm.
    assert seen.count("sessions.events") <= 3 + 3 + Run.objects.get(fleet=fleet).ticks


def test_two_followers_share_the_turns_and_store_nothing_twice(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = running(actor, count=6)

    follow_until(lambda: heard(fleet, frames=10), owners=2, most=3)

    assert no_frame_twice(fleet)
    drive_to_end(fleet)
    assert no_frame_twice(fleet)


@pytest.mark.parametrize(
    "kind", ["drop_event", "duplicate_event", "reorder_event", "reset", "truncate"]
)
def test_a_broken_stream_is_taken_up_again_and_loses_nothing(
    emulator: EmulatorThread, actor: Actor, kind: str
) -> None:
    fleet = running(actor, count=1)
    fault = {"operation": "sessions.events", "kind": kind, "count": 1}
    if kind == "truncate":
        fault["afterBytes"] = 2_000
    control(emulator, "POST", "faults", fault)

    follow_until(
        lambda: Turn.objects.filter(run__fleet=fleet, stream_end=StreamEnd.TERMINAL).exists()
    )
    drive_to_end(fleet)

    numbers = sorted(TurnEvent.objects.filter(fleet_id=fleet.pk).values_list("event_id", flat=True))
    turn = Turn.objects.get(run__fleet=fleet)
    assert turn.outcome == "completed"
    assert len(numbers) == len(set(numbers))
    assert numbers[-1] == turn.last_event_id


def test_what_is_looked_at_takes_the_place_of_what_is_not(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = running(actor, count=4, prompt="[[ok]] [[slow 600]] [[calls 50]] Look.")
    last = Agent.objects.filter(fleet=fleet).order_by("-position")[0]

    def one_is_held() -> bool:
        return Turn.objects.exclude(follower="").exists()

    def the_watched_one_is_heard() -> bool:
        if one_is_held():
            mark_watched([session_topic(last.pk)])
        return Turn.objects.get(agent=last).last_event_id > 0

    follow_until(the_watched_one_is_heard, most=1)
    mark_watched([session_topic(last.pk)])
    found = following.candidates(
        watched={session_topic(last.pk)}, now=timezone.now() + timedelta(minutes=1), most=9
    )
    assert found[0].agent_pk == last.pk
    assert [stream.is_watched for stream in found] == [True, False, False, False]


def test_a_follower_that_is_killed_is_replaced_and_every_frame_is_there_once(
    emulator: EmulatorThread, actor: Actor, tmp_path: Path
) -> None:
    fleet = running(actor, count=2, prompt="[[ok]] [[slow 100]] [[calls 50]] Take your time.")
    with follower_process(tmp_path, "first") as first:
        follow_in_processes(lambda: heard(fleet, frames=4))
        assert len(living_followers()) == 1
        first.kill()
    before = stored(fleet)
    Turn.objects.filter(run__fleet=fleet).update(follow_until=timezone.now())
    with follower_process(tmp_path, "second"):
        follow_in_processes(lambda: all(n > before[pk] for pk, n in stored(fleet).items()))

    control(emulator, "POST", "clock", {"advanceS": 100})
    fleet = drive_to_end(fleet)
    assert (fleet.state, fleet.tasks_completed) == ("finished", 2)
    assert no_frame_twice(fleet)


def follow_in_processes(done: object) -> None:
    """Drive nothing: only wait for what the followers' processes write."""
    assert callable(done)
    drive_until(lambda: bool(done()))
