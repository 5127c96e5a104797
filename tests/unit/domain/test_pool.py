"""A list of tasks in the forms that people have; what is wrong comes with its line."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.driving import FreeAgent, MachineView, OpenTurn, QueuedTask, choose
from fleets.domain.errors import InvalidInput
from fleets.domain.pool import PoolTask, read_tasks, table_as_list, tasks_document
from fleets.domain.preflight import preflight
from fleets.domain.spec import LaunchSpec, parse_launch
from fleets.domain.status import TurnState
from tests.unit.domain.test_preflight import NOW

RAW = {"name": "drain", "team": "main", "count": "3", "prompt": "", "budget": "3"}


def pairs(text: str) -> list[tuple[str, str]]:
    return [(task.task_id, task.message) for task in read_tasks(text)]


def problems(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read_tasks(text)
    return [problem.message for problem in caught.value.problems]


def launch(**fields: str) -> LaunchSpec:
    return parse_launch({**RAW, **fields})


def refusals(**fields: str) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInput) as caught:
        launch(**fields)
    return [(problem.place, problem.message) for problem in caught.value.problems]


TWO = [("task-1", "Review a, then b"), ("task-2", "Review c")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Review a, then b\n\n  Review c  \r\n", TWO),
        ('["Review a, then b", "Review c"]', TWO),
        ('"Review a, then b"\n"Review c"\n', TWO),
        ('{"message": "Review a, then b"}\n\n{"message": "Review c"}', TWO),
        ('[{"id": "x-1", "message": "m"}, "n"]', [("x-1", "m"), ("task-2", "n")]),
        ("id,task\na7,Review c\n", [("a7", "Review c")]),
        ('id;message\n"a7";"two\nlines"\n', [("a7", "two\nlines")]),
        ("task\nReview c", [("task-1", "Review c")]),
        ("[ ] Review c", [("task-1", "[ ] Review c")]),
        ("[x](y) [[ok]]", [("task-1", "[x](y) [[ok]]")]),
        ("\ufeffReview c", [("task-1", "Review c")]),
        ("{agent} is no JSON", [("task-1", "{agent} is no JSON")]),
    ],
)
def test_a_list_is_read_in_the_forms_people_have(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n \n", "There is no task in the list."),
        ("[]", "There is no task in the list."),
        ('["a",\n 7]', "Line 2: a task is text or an object {id, message}, not a number."),
        ('[{"massage": "a"}]', "Line 1: there is no field “massage” here. Did you mean message?"),
        ('{"message": "a"}\nb', "Line 2: this line is no JSON, and the first one is."),
        (
            '[{"id": "a", "message": "m"}, {"id": "a", "message": "n"}]',
            "Line 1: the task in line 1 has the same id: ids are unique.",
        ),
        ('["a", " "]', "Line 1: the task is empty."),
        (
            "use it\nwith sk-abcdefghijklmnop",
            "Line 2: a platform or OpenAI style key (sk-…). Agents would see and may repeat it."
            " Name a secret of the machine instead of writing its value.",
        ),
        ("a\n" * 10_001, "10,001 tasks are too many: at most 10,000."),
        ("a" * (1024 * 1024 + 1), "The list has 1,048,577 bytes; at most 1 MiB fits."),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, message: str) -> None:
    assert problems(text)[0] == message


def test_the_first_column_of_a_table_without_names_is_the_list() -> None:
    found = pairs(table_as_list('"Review a, b";x\nReview ü;y\n'.encode("cp1252")))
    assert found == [("task-1", "Review a, b"), ("task-2", "Review ü")]
    assert pairs(table_as_list(b"n,Task,ID\n1,Review c,x9\n")) == [("x9", "Review c")]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)))
@settings(max_examples=40)
def test_a_list_reads_back_from_its_own_document(texts: list[str]) -> None:
    kept = [text for text in texts if text.strip()]
    tasks = tuple(PoolTask(f"task-{at}", text) for at, text in enumerate(kept, start=1))
    if tasks and "sk" not in "".join(kept) and "://" not in "".join(kept):
        assert read_tasks(tasks_document(tasks)) == tasks


def test_a_pool_counts_tasks_where_agents_are_fewer() -> None:
    spec = launch(tasks=json.dumps([f"Do {n}" for n in range(40)]))
    flight = preflight(spec, now=NOW)

    assert (spec.task_count, spec.most_at_once, len(flight.machines)) == (40, 3, 1)
    assert flight.first_prompt == "Do 0"
    assert flight.holds is not None
    assert flight.holds.at_once_start <= 3
    alone = preflight(launch(prompt="{index}"), now=NOW)
    assert flight.forecast.model is not None
    assert alone.forecast.model is not None
    assert flight.forecast.model.expected * 3 == alone.forecast.model.expected * 40


def test_agents_without_a_task_are_told_with_their_repair() -> None:
    (advice,) = [a for a in preflight(launch(tasks="one"), now=NOW).warnings if a.place == "count"]
    assert "2 would have nothing to do" in advice.message
    assert advice.repairs[0].value == "1"


def test_the_message_around_each_task_holds_it() -> None:
    spec = launch(tasks="a\nb", prompt="{index}. {task_id}: {task}")
    assert preflight(spec, now=NOW).first_prompt == "1. task-1: a"
    ((place, words),) = refusals(tasks="a", prompt="Do it")
    assert place == "prompt"
    assert "{task}" in words
    assert refusals(tasks="a", prompt="{agent_id} {task}")[0][0] == "prompt"


def test_agents_of_a_file_drain_the_list_and_have_no_task_of_their_own() -> None:
    mixed = '[{"agentId": "a", "harness": "codex"}, {"agentId": "b"}]'
    assert [plan.agent_id for plan in launch(tasks="x", agents=mixed).plans] == ["a", "b"]
    ((place, words),) = refusals(tasks="x", agents='[{"agentId": "a", "task": "own"}]')
    assert place == "agents"
    assert "agents[0].task (a): the tasks are a list of their own" in words


def test_sessions_are_fresh_unless_the_same_is_asked_for() -> None:
    assert not launch(tasks="a").is_same_session
    assert launch(tasks="a", session="same").is_same_session
    assert refusals(tasks="a", session="sane")[0][0] == "session"


def _choose(**changes: object) -> object:
    asked: dict[str, object] = {
        "queued": [QueuedTask(1), QueuedTask(2), QueuedTask(3)],
        "open_turns": [],
        "machines": [MachineView(7, is_ready=True, is_warm=True)],
        "slots": 9,
        "most": 9,
        "may_begin": True,
        "free_agents": [FreeAgent(10, 7), FreeAgent(11, 7)],
        **changes,
    }
    return dict(choose(**asked).takers)  # type: ignore[arg-type]


def test_tasks_of_nobody_go_to_free_agents_in_order() -> None:
    assert _choose() == {1: 10, 2: 11}
    assert _choose(slots=1) == {1: 10}
    assert _choose(may_begin=False) == {}
    busy = OpenTurn(5, 7, TurnState.RUNNING, is_due=False)
    assert _choose(slots=2, open_turns=[busy]) == {1: 10}


def test_an_agent_whose_machine_is_not_ready_takes_nothing() -> None:
    machines = [MachineView(7, is_ready=False, is_warm=False), MachineView(8, True, True)]
    free = [FreeAgent(10, 7), FreeAgent(12, 8)]
    assert _choose(machines=machines, free_agents=free) == {1: 12}


def test_a_cold_machine_begins_with_one_turn_only() -> None:
    cold = [MachineView(7, is_ready=True, is_warm=False)]
    assert _choose(machines=cold) == {1: 10}


def test_an_agent_with_a_task_of_its_own_does_not_take_another_beside_it() -> None:
    assert _choose(queued=[QueuedTask(9, 7, 10), QueuedTask(1), QueuedTask(2)]) == {1: 11}
