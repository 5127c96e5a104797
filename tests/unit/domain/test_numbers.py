"""Tokens, durations, memory, ids and times as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain import numbers


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (None, "—"),
        (0, "0"),
        (4_120, "4,120"),
        (9_999, "9,999"),
        (12_345, "12.3k"),
        (999_949, "999.9k"),
        (999_950, "1.0M"),
        (41_200_000, "41.2M"),
        (2_500_000_000, "2.5G"),
    ],
)
def test_tokens_are_exact_under_ten_thousand(tokens: int | None, shown: str) -> None:
    assert numbers.show_tokens(tokens) == shown


@pytest.mark.parametrize(
    ("duration_s", "shown"),
    [(30, "30 s"), (90, "1 m 30 s"), (1_800, "30 min"), (7_200, "2 h"), (27_000, "7 h 30 m")],
)
def test_settings_in_time_are_shown_short(duration_s: int, shown: str) -> None:
    assert numbers.show_duration_s(duration_s) == shown


def test_memory_is_in_mib_and_gib() -> None:
    assert [numbers.show_memory(mib) for mib in (570, 4_096, 3_600)] == [
        "570 MiB",
        "4 GiB",
        "3.5 GiB",
    ]
    assert numbers.show_memory_use(3_600, 4_096) == "3.5 / 4.0 GiB"


def test_a_long_id_is_shortened_in_the_middle() -> None:
    assert numbers.short_id("fleet-4b712b26c826") == "fleet-4b71…c826"
    assert numbers.short_id("agent-7") == "agent-7"


@given(st.text(max_size=80))
def test_a_shortened_id_keeps_both_ends_and_is_never_longer(ident: str) -> None:
    short = numbers.short_id(ident)
    assert len(short) <= len(ident)
    assert ident.startswith(short.partition("…")[0]) or "…" in ident


def test_names_with_numbers_sort_naturally() -> None:
    names = ["agent-10", "agent-2", "agent-1", "b", "10"]
    assert sorted(names, key=numbers.natural_key) == ["10", "agent-1", "agent-2", "agent-10", "b"]


def test_one_is_not_many() -> None:
    assert numbers.counted(1, "machine") == "1 machine"
    assert numbers.counted(0, "machine") == "0 machines"
    assert numbers.counted(1_200, "agent") == "1,200 agents"
