"""The order in which an account's fleets are written."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.account_tree import ToldFleet, arrange

_ids = st.integers(0, 8).map(str)
_told = st.lists(
    st.builds(ToldFleet, _ids, st.one_of(st.just(""), _ids)), unique_by=lambda f: f.fleet_id
)


@given(_told, st.sets(_ids))
@settings(max_examples=60)
def test_a_parent_is_written_before_its_child_and_none_twice(
    told: list[ToldFleet], known: set[str]
) -> None:
    parents = {fleet.fleet_id: fleet.parent_id for fleet in told}
    there = set(known)
    for fleet_id in arrange(told, known=known).in_order:
        assert fleet_id not in there
        assert not parents[fleet_id] or parents[fleet_id] in there
        there.add(fleet_id)


def test_a_child_whose_parent_nobody_told_of_is_asked_about_and_what_is_below_it_waits() -> None:
    told = [ToldFleet("child", "gone"), ToldFleet("grandchild", "child"), ToldFleet("root")]
    arranged = arrange(told, known=[])

    assert arranged.in_order == ("root",)
    assert arranged.without_parent == ("child",)


def test_fleets_that_name_each_other_as_parents_are_left_out() -> None:
    arranged = arrange([ToldFleet("a", "b"), ToldFleet("b", "a")], known=[])

    assert arranged.in_order == arranged.without_parent == ()
