"""What holds for every profile: nothing is converted, nothing raises, one mutation is noticed."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.profile_schema.profile import check_profile
from tests.unit.domain.profile_schema.test_fields import WHOLE
from tests.unit.domain.profile_schema.verdicts import passes

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(
    LEAVES,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(), below, max_size=3),
    max_leaves=12,
)
FIELDS = sorted(WHOLE)
PLAIN = st.text(st.characters(exclude_categories=["Cs"]))


def closed_objects(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Places of the sound profile where an unknown key must be noticed."""
    open_ones = {"metadata", "extensions"}
    records = {"permissions", "tools", "mcp", "subagents", "hooks", "modes"}
    if isinstance(value, list):
        return [one for at, below in enumerate(value) for one in closed_objects(below, (*path, at))]
    if not isinstance(value, dict):
        return []
    name = path[-1] if path else ""
    own = [] if name in records or (len(path) > 1 and path[-2] == "permissions") else [path]
    below = ((key, one) for key, one in value.items() if key not in open_ones)
    return own + [one for key, part in below for one in closed_objects(part, (*path, key))]


CLOSED = closed_objects(WHOLE)


def with_key(value: Any, path: tuple[Any, ...], key: str) -> Any:
    """The same profile with one more key at one place."""
    if not path:
        return {**value, key: 1}
    head, *rest = path
    if isinstance(value, list):
        return [
            with_key(one, tuple(rest), key) if at == head else one for at, one in enumerate(value)
        ]
    return {**value, head: with_key(value[head], tuple(rest), key)}


@given(JSON)
def test_any_json_gets_a_verdict(value: Any) -> None:
    checked = check_profile(value)
    assert checked.issues or isinstance(value, dict)


@given(st.sampled_from(FIELDS), JSON)
def test_any_json_in_any_field_gets_a_verdict_at_that_field(field: str, value: Any) -> None:
    checked = check_profile({field: value})
    assert all(issue.path[0] == field for issue in checked.issues)
    if not checked.issues:
        assert checked.profile.keys() == {field}


@given(st.dictionaries(st.sampled_from(FIELDS), st.just(None)))
def test_any_part_of_a_sound_profile_is_sound_and_comes_back_as_it_was(chosen: Any) -> None:
    part = {field: WHOLE[field] for field in chosen}
    checked = check_profile(part)
    assert checked.issues == ()
    assert checked.profile == part


@given(st.sampled_from(CLOSED), PLAIN)
def test_a_key_too_many_is_noticed_in_every_closed_object(path: Any, key: str) -> None:
    name = f"x-{key}"
    assert not passes(with_key(WHOLE, path, name))


@given(PLAIN, st.dictionaries(PLAIN, JSON.filter(lambda value: not isinstance(value, dict))))
def test_open_values_hold_anything(name: str, value: Any) -> None:
    broken = "\ud800"
    if broken not in repr(value):
        checked = check_profile({"metadata": {name: 1}, "extensions": {name: {name: 1}}})
        assert checked.issues == ()
