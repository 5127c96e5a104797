"""Patterns that people write are bounded by what they become, not by what is written."""

import pytest

from fleets.domain.patterns import MAX_UNROLLED, BadPattern, compile_pattern, unrolled


@pytest.mark.parametrize(
    "source",
    [
        "a{99999999}",
        "(?:a{1000}){1000}",
        "(?:(?:[)(]{100}){100}){100,}",
        r"(?:\(a{1000}){1000}",
        "(?x)(?:a{1000} # )\n){1000}",
        "a{" + "9" * 900 + "}",
        "[]{2}]{99999}",
    ],
)
def test_what_would_fill_the_memory_is_refused_before_it_is_compiled(source: str) -> None:
    with pytest.raises(BadPattern, match="repeats too much"):
        compile_pattern(source)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("[0-9a-f]{64}", "0f" * 32),
        ("a{0,1000000}b", "ab"),
        (r"^\d{4}-\d{2}-\d{2}$", "2026-01-02"),
        (r"\{\d{3}\}[{}]{2}", "{123}{}"),
        ("(?:[a-z]{1,20} ){5,10}", "one two three four five "),
    ],
)
def test_what_people_write_still_compiles_and_finds(source: str, text: str) -> None:
    assert compile_pattern(source).search(text)


@pytest.mark.parametrize(
    ("source", "parts"),
    [("abc", 3), ("a{5}b", 6), ("(?:ab){3}", 15), (r"\({4}", 4), ("[a{9}]{2}", 2), (")(", 1)],
)
def test_parts_are_counted_with_every_repetition_written_out(source: str, parts: int) -> None:
    assert unrolled(source) == parts
    assert parts < MAX_UNROLLED
