"""The canonical form of JSON, by the examples of RFC 8785 and by its properties."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.canonical_json import canonical, profile_digest

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | NUMBERS | TEXTS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(TEXTS, below, max_size=3),
    max_leaves=15,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (333333333.33333329, "333333333.3333333"),
        (1e30, "1e+30"),
        (4.50, "4.5"),
        (2e-3, "0.002"),
        (1e-27, "1e-27"),
        (100.0, "100"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (123456789012345680000, "123456789012345680000"),
        (1.5e-7, "1.5e-7"),
        (1e-6, "0.000001"),
        (5e-324, "5e-324"),
        (-1.25, "-1.25"),
    ],
)
def test_numbers_are_written_as_browsers_write_them(number: float, text: str) -> None:
    assert canonical(number) == text


def test_keys_are_sorted_by_their_utf16_units() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    ordered = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical(dict.fromkeys(keys, 1)))) == ordered


def test_text_keeps_every_character_but_controls_quotes_and_backslashes() -> None:
    assert canonical('é/😀"\\\n\x0f\x7f') == '"é/😀\\"\\\\\\n\\u000f\x7f"'


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 10**400, "\ud800", {"\udfff": 1}, {1}]
)
def test_what_json_cannot_carry_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical(value)


@given(JSON)
def test_the_canonical_text_reads_back_as_the_same_value(value: Any) -> None:
    read = json.loads(canonical(value), parse_int=float)
    assert canonical(read) == canonical(value)
    assert read == value


@given(st.dictionaries(TEXTS, JSON))
def test_the_digest_does_not_depend_on_the_order_of_keys(value: dict[str, Any]) -> None:
    turned = dict(reversed(value.items()))
    assert profile_digest(turned) == profile_digest(value)
    assert len(profile_digest(value)) == 16


def test_the_digest_of_a_known_profile_stays_what_it_is() -> None:
    profile = {"name": "reviewer", "tags": ["a"], "model": {"maxTotalOutputTokens": 8000.0}}
    text = '{"model":{"maxTotalOutputTokens":8000},"name":"reviewer","tags":["a"]}'
    assert canonical(profile) == text
    assert profile_digest(profile) == "18c0bd8a2da5e901"
