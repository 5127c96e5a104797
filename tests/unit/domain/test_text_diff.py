"""Two texts side by side, down to the words; and changes of two people brought together."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.profile_diff import MISSING, field_changes
from fleets.domain.profile_merge import Choice, merge
from fleets.domain.text_diff import text_diff
from tests.unit.domain.profile_bodies import BODIES

LINES = st.lists(st.sampled_from(["a b", "a c", "", "x", "y z"]), max_size=12)


@settings(max_examples=60, deadline=None)
@given(LINES, LINES)
def test_every_line_that_changed_stands_on_its_side_as_it_is(
    old: list[str], new: list[str]
) -> None:
    diff = text_diff("\n".join(old), "\n".join(new))
    shown = [row for row in diff.rows if not row.is_same]
    assert len([row for row in shown if row.before]) == diff.removed
    assert len([row for row in shown if row.after]) == diff.added
    for row in diff.rows:
        for side, lines in ((row.before, old or [""]), (row.after, new or [""])):
            assert side is None or lines[side.number - 1] == side.text


def test_equal_lines_far_from_a_change_are_left_out_and_counted() -> None:
    lines = [str(number) for number in range(40)]
    diff = text_diff("\n".join(lines), "\n".join([*lines[:20], "new", *lines[20:]]))
    assert [row.skipped for row in diff.rows if row.skipped] == [17, 17]
    assert (diff.added, diff.removed) == (1, 0)


def test_words_are_marked_where_lines_are_alike() -> None:
    (row,) = text_diff("Read every file there.", "Read each file there.").rows
    assert row.before is not None
    assert row.after is not None
    assert ("every", True) in row.before.pieces
    assert ("each", True) in row.after.pieces


def test_a_skill_that_moved_is_no_change_and_a_field_that_came_has_no_before() -> None:
    skills = [{"name": "a", "content": "1"}, {"name": "b", "content": "2"}]
    before = {"resources": {"skills": skills}}
    after = {"resources": {"skills": [*reversed(skills), {"name": "c", "content": "3"}]}, "x": 1}
    changes = field_changes(before, after)
    assert [one.shown_path for one in changes] == [
        "resources.skills.c.name",
        "resources.skills.c.content",
        "x",
    ]
    assert changes[-1].before is MISSING


@settings(max_examples=60, deadline=None)
@given(BODIES, BODIES)
def test_what_only_one_changed_is_taken_without_a_question(base: Any, changed: Any) -> None:
    for mine, theirs in ((changed, base), (base, changed), (changed, changed)):
        merged = merge(base, mine=mine, theirs=theirs)
        assert merged.conflicts == ()
        assert field_changes(merged.body, changed) == ()


def test_fields_of_both_come_together_and_what_both_changed_is_asked() -> None:
    base = {"name": "a", "tags": ["x"], "mcp": {"docs": {"url": "u"}}}
    mine = {"name": "b", "tags": ["x"], "mcp": {"docs": {"url": "u"}, "mine": {"url": "m"}}}
    theirs = {"name": "c", "tags": ["y"], "mcp": {}}
    merged = merge(base, mine=mine, theirs=theirs)
    assert merged.body == {"name": "c", "tags": ["y"], "mcp": {"mine": {"url": "m"}}}
    (conflict,) = merged.conflicts
    assert (conflict.path, conflict.chosen) == (("name",), None)
    chosen = merge(base, mine=mine, theirs=theirs, choices={conflict.key: Choice.MINE})
    assert chosen.is_decided
    assert chosen.body["name"] == "b"
