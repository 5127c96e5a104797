"""YAML that is written reads back as the same value, whatever stands in it."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fleets.domain.yaml_lines import read_yaml
from fleets.domain.yaml_text import write_yaml

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    ["no", "On", "1e3", "017", "2026-11-29", "~", "a: b", "# x", "- a", "a\nb\n", " a\n b", "a\n\n"]
)
NUMBERS = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(TEXTS, below, max_size=4),
    max_leaves=15,
)


@settings(max_examples=150)
@given(JSON)
@example({"k" * 2_000: [[], {}, [[1], {"a": "b\n\tc\n"}], "\ufeff\u2028\x85"]})
@example({"a": "one\n  two\n\nthree", "b": "x\n", "c": "\n", "d": "a\n \nb", "e": "a\r\nb"})
def test_what_is_written_reads_back_the_same(value: Any) -> None:
    read = read_yaml(write_yaml(value), place="").value
    assert read == value
    assert repr(read) == repr(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"name": "a b", "tags": ["x", "no"]}, 'name: a b\ntags:\n  - x\n  - "no"\n'),
        ({"p": "one\ntwo\n"}, "p: |\n  one\n  two\n"),
        ([{"a": 1, "b": {}}, []], "- a: 1\n  b: {}\n- []\n"),
    ],
)
def test_it_is_written_for_people(value: Any, text: str) -> None:
    assert write_yaml(value) == text
