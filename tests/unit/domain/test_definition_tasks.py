"""A definition whose agents are a pool: its list of tasks, kept or brought to each launch."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.definition import check_definition, read_definition
from fleets.domain.definition_facts import shape_of
from fleets.domain.definition_form import from_fields, to_fields
from fleets.domain.definition_tasks import tasks_text, tasks_value
from fleets.domain.errors import InvalidInput
from fleets.domain.expansion import expand
from fleets.domain.pool import PoolTask

BODY: dict[str, Any] = {
    "name": "Sweep",
    "agents": {"count": 4},
    "tasks": ["look at a", "look at b", {"id": "last", "message": "look at c"}],
}
WORDS = st.text("abc ,;|\t-[]{}\"'é", min_size=1, max_size=12).filter(str.strip)


def problems(**changes: Any) -> dict[str, str]:
    return {one.place: one.message for one in check_definition({**BODY, **changes}).problems}


def test_its_agents_drain_the_list() -> None:
    recipe = read_definition({**BODY, "session": "same", "message": "{index}: {task}"})
    spec = expand(recipe).spec
    assert spec.tasks == (
        PoolTask("task-1", "look at a"),
        PoolTask("task-2", "look at b"),
        PoolTask("last", "look at c"),
    )
    assert (spec.count, spec.is_same_session) == (4, True)
    assert shape_of(recipe, rows=None) == "3 tasks over 4 agents"


def test_a_list_may_come_with_each_launch() -> None:
    recipe = read_definition({**BODY, "tasks": "ask"})
    assert recipe.asks_for_tasks
    assert shape_of(recipe, rows=None) == "tasks at launch over 4 agents"
    with pytest.raises(InvalidInput, match="asks for a list"):
        expand(recipe)


def test_the_message_around_each_task_holds_it() -> None:
    with pytest.raises(InvalidInput) as caught:
        expand(read_definition({**BODY, "message": "Be brief."}))
    (problem,) = caught.value.problems
    assert problem.place == "message"
    assert problem.repair is not None
    assert problem.repair.value == "Be brief.\n\n{task}"
    assert "task" in problems(message="{taks}")["message"]


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"tasks": ["a", ""]}, "tasks[1]", "the task is empty"),
        ({"tasks": [{"id": "x", "mesage": "a"}]}, "tasks[0]", "Did you mean message?"),
        ({"tasks": [{"id": "x", "message": "a"}] * 2}, "tasks[1]", "tasks[0] has the same id"),
        ({"tasks": []}, "tasks", "is empty"),
        ({"tasks": "later"}, "tasks", "or “ask”"),
        ({"session": "shared"}, "session", "is fresh"),
        ({"agents": {"matrix": {"rows": "ask"}}}, "tasks", "are tasks already"),
        ({"agents": {"machines": 2}}, "tasks", "are tasks already"),
        (
            {"agents": {"list": [{"agentId": "a", "task": "mine"}]}},
            "agents.list[0].task",
            "a list of their own",
        ),
    ],
)
def test_each_mistake_is_named_by_its_path(changes: dict[str, Any], place: str, words: str) -> None:
    assert words in problems(**changes)[place]


def test_a_session_without_a_list_means_nothing() -> None:
    body = {"name": "x", "agents": {"count": 1}, "message": "m", "session": "same"}
    (problem,) = check_definition(body).problems
    assert problem.place == "session"


def test_a_task_a_line_reads_as_it_was_written() -> None:
    before = to_fields(BODY)
    assert before["tasks"].startswith("[")
    changed = from_fields(BODY, {**before, "tasks": "one, two\r\nthree\r\n"})
    assert changed["tasks"] == ["one, two", "three"]
    assert to_fields(changed)["tasks"] == "one, two\nthree"


@settings(max_examples=60)
@given(st.lists(WORDS, min_size=1, max_size=5))
def test_what_stands_in_the_field_is_the_list(tasks: list[str]) -> None:
    stripped = [one.strip() for one in tasks]
    assert tasks_value(tasks_text(stripped)) == stripped
