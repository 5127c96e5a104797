"""Message templates: only their fields, and every problem at its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.template import escape_unknown, parse_template, render

VALUES = {"agent_id": "agent-7", "index": "7"}


def problems_of(source: str) -> tuple[Problem, ...]:
    with pytest.raises(InvalidInput) as caught:
        parse_template(source, place="prompt")
    return caught.value.problems


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Review shard {index}.", "Review shard 7."),
        ("{agent_id}{index}", "agent-77"),
        ('Answer {{"id": {index}}}', 'Answer {"id": 7}'),
        ("{{index}}", "{index}"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_fields_are_replaced_and_doubled_braces_are_braces(source: str, text: str) -> None:
    assert render(source, VALUES) == text


def test_a_value_is_never_read_as_a_template() -> None:
    assert render("{agent_id}", {"agent_id": "{index}", "index": "7"}) == "{index}"


@pytest.mark.parametrize(
    "source", ["{agent_id.__class__}", "{agent_id!r}", "{index:>9}", "{0}", "{}", "{index[0]}"]
)
def test_nothing_but_a_plain_field_is_understood(source: str) -> None:
    assert problems_of(source)[0].message.startswith("Line 1, column 1:")


def test_an_unknown_field_is_named_with_its_place_and_the_nearest_name() -> None:
    (problem,) = problems_of("one\ntwo {agentid} three")
    assert problem.place == "prompt"
    assert problem.message == ("Line 2, column 5: {agentid} is no field. Did you mean {agent_id}?")
    assert problem.repair is not None
    assert problem.repair.value == "one\ntwo {agent_id} three"


def test_a_single_brace_is_explained_and_can_be_taken_as_it_is() -> None:
    first, second = problems_of('{"a": {index}, "b": 1}')
    assert "a single {. Write {{" in first.message
    assert "a single }. Write }}" in second.message
    assert first.repair is not None
    assert render(first.repair.value, VALUES) == '{"a": 7, "b": 1}'
    assert second.repair is None


def test_a_text_full_of_braces_has_a_bounded_list_of_problems() -> None:
    assert len(problems_of("{ " * 30_000)) == 20


def test_the_fields_used_are_known() -> None:
    assert parse_template("{index} {{agent_id}}", place="prompt").fields == {"index"}


@given(st.text())
def test_any_text_can_be_escaped_into_a_template(text: str) -> None:
    parse_template(escape_unknown(text), place="prompt")


@given(st.text())
def test_doubled_braces_give_the_text_back(text: str) -> None:
    doubled = text.replace("{", "{{").replace("}", "}}")
    assert render(doubled, VALUES) == text


@given(st.text(alphabet="ab{}\n ", max_size=60))
def test_an_escaped_text_reads_like_the_original(text: str) -> None:
    escaped = escape_unknown(text)
    if "{{" not in text and "}}" not in text:
        assert render(escaped, VALUES) == text
