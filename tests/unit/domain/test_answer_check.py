"""What a good answer is: shape, check, verdict, reason; and never longer than it may take."""

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.answer_check import (
    AnswerCheck,
    Judgement,
    Verdict,
    command_judgement,
    judge,
    words_of,
)
from fleets.domain.answer_document import answer_document, read_answer_check
from fleets.domain.errors import InvalidInput
from fleets.domain.patience import Patience

FOREVER = 1_000.0


def standing_still() -> float:
    return 0.0


def verdict(document: Mapping[str, Any], answer: str) -> Judgement:
    patience = Patience(standing_still, FOREVER)
    return judge(read_answer_check(document), answer, patience=patience)


def problems(document: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read_answer_check(document)
    return [problem.message for problem in caught.value.problems]


SCHEMA = {
    "type": "object",
    "required": ["verdict"],
    "properties": {"verdict": {"enum": ["ok", "bad"]}, "id": {"pattern": "^[a-z]+$"}},
    "additionalProperties": False,
}
BY_SCHEMA = {"shape": "json_schema", "schema": SCHEMA}
EQUALS = {"shape": "json", "check": {"kind": "field_equals", "field": "a.0.b", "value": 1}}


@pytest.mark.parametrize(
    ("document", "answer", "expected"),
    [
        ({}, "anything", Verdict.UNCHECKED),
        ({"check": {"kind": "not_empty"}}, "x", Verdict.ACCEPTED),
        ({"check": {"kind": "not_empty"}}, " \n", Verdict.REFUSED),
        ({"check": {"kind": "matches", "pattern": "^PASS$"}}, "log\nPASS\n", Verdict.ACCEPTED),
        ({"check": {"kind": "matches", "pattern": "^PASS$"}}, "pass", Verdict.REFUSED),
        (
            {"check": {"kind": "matches", "pattern": "PASS", "ignoreCase": True}},
            "pass",
            Verdict.ACCEPTED,
        ),
        ({"shape": "json"}, '{"a": 1}', Verdict.ACCEPTED),
        ({"shape": "json"}, 'Here it is:\n```json\n{"a": 1}\n```\nDone.', Verdict.ACCEPTED),
        ({"shape": "json"}, "```\n1\n```\n```\n2\n```", Verdict.REFUSED),
        ({"shape": "json"}, "no", Verdict.REFUSED),
        ({"shape": "json"}, '{"a": 1, "a": 2}', Verdict.REFUSED),
        (BY_SCHEMA, '{"verdict": "ok", "id": "abc"}', Verdict.ACCEPTED),
        (BY_SCHEMA, '{"verdict": "maybe"}', Verdict.REFUSED),
        (BY_SCHEMA, '{"verdict": "ok", "id": "4"}', Verdict.REFUSED),
        (BY_SCHEMA, '{"verdict": "ok", "more": 1}', Verdict.REFUSED),
        (EQUALS, '{"a": [{"b": 1.0}]}', Verdict.ACCEPTED),
        (EQUALS, '{"a": [{"b": true}]}', Verdict.REFUSED),
        (EQUALS, '{"a": []}', Verdict.REFUSED),
        ({"check": {"kind": "command", "command": "pytest -q"}}, "", Verdict.WAITING_COMMAND),
        ({"check": {"kind": "person"}}, "", Verdict.WAITING_PERSON),
        ({"shape": "json", "check": {"kind": "person"}}, "no", Verdict.REFUSED),
    ],
)
def test_an_answer_gets_its_verdict(
    document: Mapping[str, Any], answer: str, expected: Verdict
) -> None:
    judgement = verdict(document, answer)
    assert judgement.verdict == expected
    assert bool(judgement.reason) == (expected is Verdict.REFUSED)
    assert len(judgement.reason) <= 300


def test_a_reason_names_the_place_in_the_answer() -> None:
    nested = {"type": "array", "items": {"properties": {"price": {"type": "number"}}}}
    document = {"shape": "json_schema", "schema": nested}
    assert verdict(document, '[{"price": 1}, {"price": "x"}]').reason.startswith("$[1].price: 'x'")
    assert verdict(EQUALS, '{"a": [{"b": 2}]}').reason == "a.0.b is 2, not 1."


def test_a_pattern_that_runs_for_ever_leaves_the_answer_unchecked() -> None:
    evil = {"check": {"kind": "matches", "pattern": "^(a|aa)+$"}}
    patience = Patience(standing_still, 0.01)
    judgement = judge(read_answer_check(evil), "a" * 5_000 + "b", patience=patience)
    assert judgement.verdict == Verdict.UNCHECKED
    assert "too long" in judgement.reason


def test_a_pattern_in_a_schema_is_bounded_too() -> None:
    schema = {"additionalProperties": False, "patternProperties": {"^(a|aa)+$": True}}
    document = {"shape": "json_schema", "schema": schema}
    patience = Patience(standing_still, 0.01)
    answer = '{"' + "a" * 5_000 + 'b": 1}'
    assert judge(read_answer_check(document), answer, patience=patience).verdict == "unchecked"


def test_a_schema_with_much_to_look_at_is_left_when_the_time_is_over() -> None:
    ticking = itertools.count()
    patience = Patience(lambda: float(next(ticking)), 20)
    document = {"shape": "json_schema", "schema": {"items": {"type": "number"}}}
    answer = str([0] * 100)
    assert judge(read_answer_check(document), answer, patience=patience).verdict == "unchecked"


def test_a_schema_that_refers_to_itself_without_end_refuses_instead_of_breaking() -> None:
    document = {"shape": "json_schema", "schema": {"$ref": "#"}}
    assert verdict(document, "{}").verdict == Verdict.REFUSED


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "answer: it is an object {shape, schema, check}, not a list."),
        ({"shapes": "json"}, "answer.shapes: there is no such field. Did you mean shape?"),
        ({"shape": "xml"}, "answer.shape: must be one of text, json, json_schema."),
        ({"schema": {}}, "answer.schema: a schema is read only where shape is json_schema."),
        (
            {"shape": "json_schema"},
            "answer.schema: is missing: the JSON Schema that answers must fit.",
        ),
        (
            {"shape": "json_schema", "schema": {"properties": {"a": {"$ref": "https://x.org"}}}},
            "answer.schema.properties.a.$ref: references lead only within the schema: they begin"
            " with #.",
        ),
        (
            {"shape": "json_schema", "schema": {"items": {"pattern": "("}}},
            "answer.schema.items.pattern: This is no regular expression: missing ) at character 2.",
        ),
        (
            {"check": {"kind": "maches"}},
            "answer.check.kind: must be one of not_empty, matches, field_equals, command, person.",
        ),
        ({"check": {"kind": "matches"}}, "answer.check.pattern: is missing."),
        (
            {"check": {"kind": "matches", "pattern": "a", "flags": "i"}},
            "answer.check.flags: there is no such field. Known are kind, pattern, ignoreCase.",
        ),
        (
            {"check": {"kind": "field_equals", "field": "a", "value": 1}},
            "answer.shape: a field is looked for in JSON: say json or json_schema.",
        ),
        (
            {"shape": "json", "check": {"kind": "field_equals", "field": "a", "value": []}},
            "answer.check.value: must be text, a number, true, false or null.",
        ),
        (
            {"check": {"kind": "command", "command": "x", "timeoutSeconds": 601}},
            "answer.check.timeoutSeconds: must be a whole number from 1 to 600.",
        ),
        (
            {"check": {"kind": "command", "command": "curl -H sk-abcdefghijklmnop"}},
            "answer.check.command: a platform or OpenAI style key (sk-…). Name a secret of the"
            " machine instead.",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(document: Any, message: str) -> None:
    assert problems(document) == [message]


def test_a_schema_that_is_none_is_refused_with_its_place() -> None:
    (message,) = problems({"shape": "json_schema", "schema": {"items": {"type": "text"}}})
    assert message.startswith("answer.schema.items.type: this is no JSON Schema: 'text'")


def test_all_mistakes_are_told_at_once() -> None:
    assert len(problems({"shape": "xml", "schema": 1, "check": {"kind": "matches"}})) == 3


def test_a_command_that_could_not_be_run_says_nothing_about_the_answer() -> None:
    assert command_judgement(0).verdict == Verdict.ACCEPTED
    assert command_judgement(2, words="1 failed").reason == "The command exited 2: 1 failed"
    assert command_judgement(None, words="the machine is gone").verdict == Verdict.UNCHECKED


_scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5)
_checks = st.one_of(
    st.just({"kind": "not_empty"}),
    st.just({"kind": "person"}),
    st.builds(lambda value: {"kind": "field_equals", "field": "a", "value": value}, value=_scalars),
    st.builds(lambda s: {"kind": "command", "command": "x", "timeoutSeconds": s}, s=st.just(5)),
)


@given(check=_checks, shape=st.sampled_from([{"shape": "json"}, BY_SCHEMA]))
@settings(max_examples=30)
def test_a_check_reads_back_from_its_own_document(
    check: dict[str, Any], shape: dict[str, Any]
) -> None:
    read = read_answer_check({**shape, "check": check})
    assert read_answer_check(answer_document(read)) == read
    assert words_of(read)


def test_nothing_asked_is_an_empty_document() -> None:
    assert answer_document(AnswerCheck()) == {}
    assert words_of(AnswerCheck()) == ""


@given(answer=st.text(max_size=200))
@settings(max_examples=60)
def test_no_answer_breaks_a_check(answer: str) -> None:
    for document in (BY_SCHEMA, EQUALS, {"check": {"kind": "matches", "pattern": "a+b"}}):
        assert verdict(document, answer).verdict in {Verdict.ACCEPTED, Verdict.REFUSED}
