"""Reading JSON that somebody wrote: lines of every place, bounds, nothing repeated."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import MAX_BYTES, MAX_DEPTH, nodes, read_json

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(TEXTS, below, max_size=4),
    max_leaves=20,
)


def refusal(text: str) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_json(text, place="file")
    return caught.value.message


def test_every_place_has_its_line() -> None:
    text = '[\n  {"a": 1,\n   "b": {"c": [\n     "x,]\\"}",\n     2\n   ]}\n  },\n  {}, []\n]'
    read = read_json(text, place="file")
    lines = {path: read.line_of(path) for path, _ in nodes(read.value)}
    assert lines == {
        (): 1,
        (0,): 2,
        (0, "a"): 2,
        (0, "b"): 3,
        (0, "b", "c"): 3,
        (0, "b", "c", 0): 4,
        (0, "b", "c", 1): 5,
        (1,): 8,
        (2,): 8,
    }


def test_what_is_missing_has_the_line_of_what_is_around_it() -> None:
    read = read_json('[\n{\n"a": {}}]', place="file")
    assert read.line_of((0, "a", "b", 3)) == 3
    assert read.line_of((0, "z")) == 2


@given(JSON, st.sampled_from([None, 1]))
def test_every_place_of_any_json_is_found_in_order(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    read = read_json(text, place="file")
    assert read.value == value
    for path, _ in nodes(value):
        assert path in read._lines
    if indent is None:
        assert set(read._lines.values()) == {1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Line 1, column 1"),
        ('[\n{"a": secret}]', "Line 2, column 7"),
        ("[NaN]", "no JSON"),
        ("[1] x", "Line 1, column 5"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "deep"),
        ("[" * 100_000, "deep"),
        ('"' + "x" * MAX_BYTES + '"', "at most 1 MiB"),
        ('[\n{"a": 1,\n "a": 2}]', "Line 3"),
        ('{"b": {"a": 1}, "b": 2}', "Line 1"),
    ],
)
def test_bad_json_is_refused_with_its_place(text: str, words: str) -> None:
    message = refusal(text)
    assert words in message
    assert "secret" not in message


def test_a_byte_order_mark_and_huge_numbers_do_not_matter() -> None:
    assert read_json("\ufeff[1]", place="file").value == [1]
    assert read_json("9" * 10_000, place="file").value == float("inf")
