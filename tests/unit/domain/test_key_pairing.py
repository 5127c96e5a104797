"""Whose a key is, as far as it can be told."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.key_pairing import FleetFact, KeyFact, Paired, pair
from fleets.domain.status import KeyKnownBy

START = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)


def at(second: float) -> datetime:
    return START + timedelta(seconds=second)


def key(key_id: str, second: float, *, under: str = "key-p", name: str = "spawned") -> KeyFact:
    return KeyFact(key_id, under, name, at(second))


def fleet(
    fleet_id: str, second: float, *, under: str | None = "key-p", key_id: str = ""
) -> FleetFact:
    return FleetFact(fleet_id, under, at(second), key_id)


def test_the_only_key_minted_right_before_a_fleet_is_its_own() -> None:
    keys = [key("k1", 0), key("k2", 2), key("other", 1, under="key-q")]

    assert pair([fleet("f1", 0.5), fleet("f2", 2)], keys) == {
        "f1": Paired("k1", KeyKnownBy.TIME),
        "f2": Paired("k2", KeyKnownBy.TIME),
    }


def test_a_key_that_bears_the_fleets_id_is_its_own_whenever_it_was_minted() -> None:
    keys = [key("k1", 900, name="budget of f1"), key("k2", 0, name="f11")]

    assert pair([fleet("f1", 0)], keys)["f1"] == Paired("k1", KeyKnownBy.NAME)


def test_two_keys_that_fit_leave_it_unknown() -> None:
    keys = [key("k1", 0), key("k2", 0.2)]

    assert pair([fleet("f1", 0.5), fleet("f2", 0.6)], keys) == {}


def test_where_no_key_is_left_that_it_could_have_been_made_with_it_has_none() -> None:
    keys = [key("k1", 0, under="account", name="mine"), key("later", 9, under="account")]
    fleets = [fleet("ours", 0, under=None, key_id="k1"), fleet("f1", 5, under="")]

    assert pair(fleets, keys) == {"f1": Paired("")}


def test_a_child_of_a_fleet_whose_key_nobody_knows_stays_unknown() -> None:
    assert pair([fleet("f1", 1, under=None)], [key("k1", 0)]) == {}


_seconds = st.integers(0, 50)


@given(st.lists(_seconds, max_size=6), st.lists(_seconds, max_size=6))
@settings(max_examples=80)
def test_no_key_is_ever_two_fleets(fleets: list[int], keys: list[int]) -> None:
    facts = [fleet(f"f{n}", second) for n, second in enumerate(fleets)]
    found = pair(facts, [key(f"k{n}", second) for n, second in enumerate(keys)])

    claimed = [paired.key_id for paired in found.values() if paired.key_id]
    assert len(claimed) == len(set(claimed))
