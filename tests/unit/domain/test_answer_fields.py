"""What a good answer is, typed into a form: read into its document, and back."""

import pytest

from fleets.domain.answer_check import AnswerCheck
from fleets.domain.answer_document import answer_document, read_answer_check
from fleets.domain.answer_fields import answer_fields, read_answer_fields
from fleets.domain.errors import InvalidInput


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"check": {"kind": "not_empty"}},
        {"shape": "json_schema", "schema": {"type": "object"}, "check": {"kind": "person"}},
        {"check": {"kind": "matches", "pattern": "^ok$"}},
        {"shape": "json", "check": {"kind": "field_equals", "field": "a.b", "value": "ok"}},
        {"shape": "json", "check": {"kind": "field_equals", "field": "a", "value": "1"}},
        {"shape": "json", "check": {"kind": "field_equals", "field": "a", "value": 1}},
        {"shape": "json", "check": {"kind": "field_equals", "field": "a", "value": None}},
        {"check": {"kind": "command", "command": "pytest -q"}},
    ],
)
def test_fields_read_back_as_the_check_they_were_made_of(document: dict[str, object]) -> None:
    check = read_answer_check(document)
    assert answer_document(read_answer_fields(answer_fields(check))) == document


def test_what_the_chosen_check_does_not_need_is_not_read() -> None:
    typed = {"answer_pattern": "(", "answer_schema": "{", "answer_check": "not_empty"}
    assert answer_document(read_answer_fields(typed)) == {"check": {"kind": "not_empty"}}
    assert read_answer_fields({}) == AnswerCheck()


@pytest.mark.parametrize(
    ("typed", "place", "words"),
    [
        ({"answer_check": "matches"}, "answer_pattern", "Must be text that is not empty."),
        (
            {
                "answer_shape": "json",
                "answer_check": "field_equals",
                "answer_field": "a",
                "answer_value": "1e400",
            },
            "answer_value",
            "A number too large",
        ),
        (
            {"answer_shape": "json_schema", "answer_schema": f'{{"maximum": {"9" * 399}}}'},
            "answer_schema",
            "maximum: a number too large",
        ),
        (
            {"answer_shape": "json_schema", "answer_schema": r'{"const": "a\u0000"}'},
            "answer_schema",
            "const: has characters in it",
        ),
        ({"answer_check": "matches", "answer_pattern": "("}, "answer_pattern", "This is no"),
        ({"answer_shape": "json_schema"}, "answer_schema", "Is missing"),
        ({"answer_shape": "json_schema", "answer_schema": "{"}, "answer_schema", "Line 1"),
        (
            {"answer_shape": "json_schema", "answer_schema": '{"items": {"type": "x"}}'},
            "answer_schema",
            "items.type: this is no JSON Schema",
        ),
        ({"answer_check": "field_equals", "answer_field": "a"}, "answer_shape", "A field is"),
        ({"answer_check": "guess"}, "answer_check", "Must be one of"),
        ({"answer": '{"shape": "xml"}'}, "answer", "answer.shape: must be one of"),
    ],
)
def test_a_mistake_stands_at_its_field(typed: dict[str, str], place: str, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_answer_fields(typed)
    (problem,) = caught.value.problems
    assert problem.place == place
    assert problem.message.startswith(words)
