"""The session page: pages of a turn, hostile text, the prompt, and what each of the cast gets."""

import json
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from fleets.domain.status import TaskState, TurnOutcome, TurnState
from fleets.models import Agent, AuditEvent, Fleet, Run, Task, Turn
from fleets.selectors.transcript import MOST_FRAMES, frames_after, page_of, transcript
from tests.agent_frames import part, store, text, tool
from tests.factories import AgentFactory, FleetFactory, MachineFactory, TaskFactory, TurnFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return Cast.gather()


@pytest.fixture
def turn() -> Turn:
    """A turn that has ended, of an agent that can be prompted."""
    fleet = FleetFactory(remaining_nusd=1_000_000_000, tasks_total=1, agents_total=1)
    Fleet.objects.filter(pk=fleet.pk).update(
        created_on_platform_at=fleet.created_at, settled_at=fleet.created_at
    )
    machine = MachineFactory(fleet=fleet)
    agent = AgentFactory(machine=machine, state=TaskState.COMPLETED, turns=1)
    task = TaskFactory(agent=agent, state=TaskState.COMPLETED, prompt="Review <b>shard</b> 1.")
    Run.objects.filter(pk=task.run_id).update(number=1, ended_at=fleet.created_at)
    ended: Turn = TurnFactory(
        task=task, state=TurnState.ENDED, outcome=TurnOutcome.COMPLETED, turn_id="t1-1"
    )
    return ended


def address(turn: Turn, name: str = "fleet_agent", *more: int) -> str:
    names = [turn.agent.fleet.public_id, turn.agent.agent_id, *more]
    return reverse(f"fleets:{name}", args=names)


def seen(cast: Cast, url: str, who: str = "viewer", **headers: str) -> str:
    answer = cast.client(who).get(url, headers=headers)
    assert answer.status_code == 200
    return str(answer.content.decode())


def many(turn: Turn, count: int) -> None:
    store(turn, [text(number, f"said {number};", f"p{number}") for number in range(1, count + 1)])


def test_readers_read_and_strangers_do_not_know_of_it(cast: Cast, turn: Turn) -> None:
    store(turn, [text(3, "Done.")])
    statuses = {"admin": 200, "operator": 200, "viewer": 200, "stranger": 404}
    for url in (
        address(turn),
        address(turn) + "?tab=tools",
        address(turn) + "?tab=ledger",
        address(turn) + "?tab=events",
        address(turn, "agent_event", turn.pk, 3),
        address(turn, "agent_event_text", turn.pk, 3),
    ):
        cast.expect(url, "GET", statuses)


@pytest.mark.parametrize("more", [(1, 3), (0, 0), (2**31, 2**31), (10**18, 1)])
def test_an_event_that_is_not_there_is_not_found(
    cast: Cast, turn: Turn, more: tuple[int, int]
) -> None:
    pair = (turn.pk, 99) if more == (1, 3) else more
    assert cast.client("viewer").get(address(turn, "agent_event", *pair)).status_code == 404
    assert cast.client("viewer").get(address(turn, "agent_event_text", *pair)).status_code == 404


def test_a_turn_of_another_agent_is_not_shown_at_this_one(cast: Cast, turn: Turn) -> None:
    other = TurnFactory()
    store(other, [text(1, "Not yours.")])
    assert cast.client("viewer").get(address(turn, "agent_event", other.pk, 1)).status_code == 404
    assert "Not yours." not in seen(cast, address(turn) + f"?turn={other.pk}")


def test_a_page_asks_as_much_for_a_long_turn_as_for_a_short_one(
    cast: Cast, turn: Turn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    many(turn, 3)
    client = cast.client("operator")
    with django_assert_max_num_queries(22) as short:
        client.get(address(turn))
    many(turn, 2_000)
    with django_assert_max_num_queries(22) as long:
        client.get(address(turn))
    assert len(long.captured_queries) == len(short.captured_queries)


def test_a_long_turn_is_shown_in_pages_each_item_on_one(cast: Cast, turn: Turn) -> None:
    many(turn, 700)
    found: list[str] = []
    page = transcript(turn.pk)
    while True:
        assert len(page.items) <= MOST_FRAMES
        found = [item.text for item in page.items] + found
        if page.before is None:
            break
        page = transcript(turn.pk, before=page.before)
    assert found == [f"said {number};" for number in range(1, 701)]
    assert "Earlier" in seen(cast, address(turn))


def test_a_part_that_grows_over_pages_is_shown_once_where_it_ends(turn: Turn) -> None:
    frames = [text(number, "x" * number, "grows") for number in range(1, 331)]
    store(turn, [*frames, *[text(number, "y", f"p{number}") for number in range(331, 601)]])
    last = transcript(turn.pk)
    first = transcript(turn.pk, before=last.before)
    texts = [item.text for page in (first, last) for item in page.items]
    assert [words for words in texts if words.startswith("x")] == ["x" * 330]


def test_huge_frames_make_a_short_page(turn: Turn) -> None:
    words = [json.dumps([number * n for n in range(60_000)]) for number in range(12)]
    store(turn, [text(number, body, f"p{number}") for number, body in enumerate(words, start=1)])
    page = transcript(turn.pk)
    assert 5 <= len(page.items) < 12
    assert page.before is not None


def test_an_address_of_an_event_opens_the_page_that_has_it(cast: Cast, turn: Turn) -> None:
    many(turn, 900)
    assert 'id="e10"' in seen(cast, address(turn) + f"?turn={turn.pk}&at=10")
    assert page_of(turn.pk, 890) is None
    assert "said 10;" in seen(cast, address(turn, "agent_event", turn.pk, 10))


def test_only_what_came_after_the_cursor_is_read(turn: Turn) -> None:
    many(turn, 20)
    assert [frame.number for frame in frames_after(turn.pk, 17)] == [18, 19, 20]


def test_a_call_is_folded_and_its_insides_come_when_it_is_opened(cast: Cast, turn: Turn) -> None:
    store(turn, [tool(4, "t", "make", output="\x1b[32mgreen\x1b[0m <b>")])
    page = seen(cast, address(turn))
    assert "green" not in page
    url = address(turn, "agent_event", turn.pk, 4)
    headers = {"HX-Request": "true", "HX-Target": f"div#io-{turn.pk}-4"}
    inside = seen(cast, url, **headers)
    assert inside.lstrip().startswith(f'<div class="io" id="io-{turn.pk}-4"')
    assert '<span class="ansi32">green</span> &lt;b&gt;' in inside


def test_what_is_too_long_for_the_page_is_a_file(cast: Cast, turn: Turn) -> None:
    output = "line\n" * 60_000
    store(turn, [tool(4, "t", "make", output=output), text(5, "é" * 40_000)])
    page = seen(cast, address(turn, "agent_event", turn.pk, 4))
    assert "Download all of it" in page
    assert "Download all of it" in seen(cast, address(turn))
    answer = cast.client("viewer").get(address(turn, "agent_event_text", turn.pk, 4))
    assert answer.content.decode() == output
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Disposition"].startswith("attachment")


EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e\x00'


@pytest.mark.parametrize("query", ["", "?raw=1", "?tab=tools", "?tab=events", "?tab=ledger"])
def test_hostile_text_is_text_wherever_it_stands(cast: Cast, turn: Turn, query: str) -> None:
    state: dict[str, Any] = {"input": {"command": EVIL}, "output": EVIL, "status": "error"}
    store(
        turn,
        [
            text(1, EVIL),
            part(2, "reasoning", EVIL, text=EVIL),
            part(3, "tool", EVIL, tool=EVIL, state=state),
            (4, "warning", {"message": EVIL}),
            (5, "plan.submitted", {"plan": EVIL}),
            (6, EVIL[:60], {EVIL: EVIL}),
        ],
    )
    page = seen(cast, address(turn) + query)
    assert "<script>alert" not in page
    assert "<img src" not in page
    assert "\x1b" not in page
    assert "\x00" not in page
    if query in ("", "?raw=1"):
        assert "Review &lt;b&gt;shard" in page


def test_the_tools_are_counted_with_failures_and_the_middle_time(cast: Cast, turn: Turn) -> None:
    times = ({"start": 0, "end": end} for end in (100, 300, 200))
    calls = [tool(n, f"t{n}", "ls", time=time) for n, time in enumerate(times, start=1)]
    store(
        turn, [*calls, tool(8, "t9", "ls", status="running"), tool(9, "t9", "ls", status="error")]
    )
    page = seen(cast, address(turn) + "?tab=tools")
    assert '<td class="num">4</td>' in page
    assert "1 failed" in page
    assert "225 ms" in page


def test_the_raw_text_is_shown_as_it_was_written(cast: Cast, turn: Turn) -> None:
    store(turn, [text(1, "**bold** ![p](http://x/p.png)")])
    page = seen(cast, address(turn) + "?raw=1")
    assert "**bold** ![p](http://x/p.png)" in page
    assert "data-follow" not in page


def test_an_answer_whose_frames_are_not_kept_is_shown(cast: Cast, turn: Turn) -> None:
    Task.objects.filter(pk=turn.task_id).update(response="All **fine**. <script>alert(1)</script>")
    page = seen(cast, address(turn))
    assert "All <strong>fine</strong>. &lt;script&gt;" in page
    assert "No event of this turn is stored" in page


def test_tokens_of_the_turn_under_way_are_added_to_those_before(cast: Cast, turn: Turn) -> None:
    Agent.objects.filter(pk=turn.agent_id).update(input_tokens=1_000, running_input_tokens=234)
    assert "1,234" in seen(cast, address(turn))
    fleet_page = reverse("fleets:fleet_detail", args=[turn.agent.fleet.public_id])
    assert "1,234" in seen(cast, fleet_page + "?view=table")


def test_under_htmx_only_the_transcript_is_sent(cast: Cast, turn: Turn) -> None:
    store(turn, [text(1, "Done.")])
    headers = {"HX-Request": "true", "HX-Target": "div#transcript"}
    part_of_page = seen(cast, address(turn), **headers)
    assert part_of_page.lstrip().startswith('<div id="transcript"')
    assert "<html" not in part_of_page


# --- prompting


def form(words: str = "And the tests?", key: str = "a-key-of-a-form-0001") -> dict[str, str]:
    return {"prompt": words, "form_key": key}


def test_operators_prompt_and_others_do_not(cast: Cast, turn: Turn) -> None:
    url = address(turn, "agent_prompt")
    statuses = {"admin": 303, "operator": 303, "viewer": 403, "stranger": 404}
    cast.expect(url, "POST", statuses, data=form())
    assert Task.objects.filter(agent=turn.agent).count() == 2  # the same form twice is one task


def test_a_prompt_is_a_run_of_the_fleet_over_this_agent(cast: Cast, turn: Turn) -> None:
    fleet = turn.agent.fleet
    other = AgentFactory(machine=turn.agent.machine, state=TaskState.FAILED)
    TaskFactory(agent=other, run=turn.run, position=7, state=TaskState.FAILED)

    answer = cast.client("operator").post(address(turn, "agent_prompt"), form())

    assert answer.headers["Location"] == address(turn)
    task = Task.objects.get(agent=turn.agent, run__number=2)
    assert (task.prompt, task.state, task.run.ended_at) == ("And the tests?", "queued", None)
    fleet.refresh_from_db()
    # The page still shows every agent: the one that was asked again, and the others as they ended.
    assert (fleet.tasks_total, fleet.tasks_queued, fleet.tasks_failed) == (2, 1, 1)
    assert (fleet.state, fleet.work_ended_at) == ("running", None)
    assert Agent.objects.get(pk=turn.agent_id).state == "queued"
    audit = AuditEvent.objects.get(act="agent.prompt")
    assert "And the tests" not in json.dumps(audit.after)


def test_a_run_under_way_takes_the_prompt_in(cast: Cast, turn: Turn) -> None:
    Run.objects.filter(pk=turn.run_id).update(ended_at=None)
    other = AgentFactory(machine=turn.agent.machine, state=TaskState.RUNNING)
    TaskFactory(agent=other, run=turn.run, position=turn.task.position + 1, state=TaskState.RUNNING)

    cast.client("operator").post(address(turn, "agent_prompt"), form())

    assert Run.objects.filter(fleet=turn.agent.fleet).count() == 1
    assert Task.objects.filter(run=turn.run, agent=turn.agent).count() == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"held_at": "now"}, "held"),
        ({"cut_off_requested_at": "now"}, "cut off"),
        ({"key_revoked_at": "now"}, "revoked"),
        ({"cancel_requested_at": "now"}, "being cancelled"),
        ({"delete_requested_at": "now"}, "being deleted"),
        ({"deleted_at": "now"}, "deleted"),
        ({"origin": "foreign"}, "held elsewhere"),
        ({"created_on_platform_at": None}, "being made"),
        ({"remaining_nusd": 5}, "budget"),
    ],
)
def test_a_prompt_is_refused_with_the_reason_and_the_text_is_kept(
    cast: Cast, turn: Turn, changes: dict[str, Any], words: str
) -> None:
    fleet = turn.agent.fleet
    known = {name: fleet.created_at if what == "now" else what for name, what in changes.items()}
    Fleet.objects.filter(pk=fleet.pk).update(**known)

    answer = cast.client("operator").post(address(turn, "agent_prompt"), form())

    assert answer.status_code == 409
    page = answer.content.decode()
    assert words in page
    assert "And the tests?" in page
    assert Task.objects.filter(agent=turn.agent).count() == 1


def test_a_fleet_without_a_budget_is_prompted_by_admins_only(cast: Cast, turn: Turn) -> None:
    Fleet.objects.filter(pk=turn.agent.fleet_id).update(budget_nusd=None, remaining_nusd=None)
    assert "admins only" in seen(cast, address(turn), "operator")
    statuses = {"admin": 303, "operator": 403, "viewer": 403, "stranger": 404}
    for who, status in reversed(statuses.items()):
        answer = cast.client(who).post(
            address(turn, "agent_prompt"), form(key=f"key-of-form-{who}")
        )
        assert answer.status_code == status, who


def test_an_agent_at_work_is_not_prompted(cast: Cast, turn: Turn) -> None:
    TurnFactory(task=TaskFactory(agent=turn.agent), state=TurnState.RUNNING)
    answer = cast.client("operator").post(address(turn, "agent_prompt"), form())
    assert answer.status_code == 409
    assert "is at work" in answer.content.decode()


@pytest.mark.parametrize("machine", ["stopped", "failed", ""])
def test_a_machine_that_does_not_run_takes_no_prompt(cast: Cast, turn: Turn, machine: str) -> None:
    turn.agent.machine.status = machine
    turn.agent.machine.save()
    answer = cast.client("operator").post(address(turn, "agent_prompt"), form())
    assert answer.status_code == 409
    assert "not running" in answer.content.decode()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("  ", "missing"),
        ("x" * 70_000, "64 KiB"),
        ("use sk-tan-" + "a" * 32, "Line 1, column"),
    ],
)
def test_a_prompt_that_cannot_be_sent_is_said_beside_the_field(
    cast: Cast, turn: Turn, words: str, why: str
) -> None:
    answer = cast.client("operator").post(address(turn, "agent_prompt"), form(words))
    assert answer.status_code == 422
    assert why in answer.content.decode()


def test_a_cancelled_fleet_with_its_key_goes_on_when_it_is_prompted(cast: Cast, turn: Turn) -> None:
    fleet = turn.agent.fleet
    Fleet.objects.filter(pk=fleet.pk).update(
        cancel_requested_at=fleet.created_at, cancel_confirmed_at=fleet.created_at, epoch=2
    )
    answer = cast.client("operator").post(address(turn, "agent_prompt"), form())
    assert answer.status_code == 303
    fleet.refresh_from_db()
    assert (fleet.state, fleet.cancel_requested_at) == ("running", None)
