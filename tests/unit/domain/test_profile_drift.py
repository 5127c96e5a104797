"""How a profile stands to the platform's catalog, from digests alone."""

import pytest

from fleets.domain.profile_drift import WORDS, Drift, drift


@pytest.mark.parametrize(
    ("head", "ours", "remote", "is_there", "expected"),
    [
        ("b", {"a", "b"}, "", None, Drift.UNKNOWN),
        ("b", {"a", "b"}, "", False, Drift.ABSENT),
        ("b", {"a", "b"}, "", True, Drift.UNKNOWN),
        ("b", {"a", "b"}, "b", True, Drift.SAME),
        ("b", {"a", "b"}, "a", True, Drift.BEHIND),
        ("b", {"a", "b"}, "c", True, Drift.CHANGED),
        ("", {"a"}, "a", True, Drift.BEHIND),
        ("", set(), "c", True, Drift.ELSEWHERE),
    ],
)
def test_digests_tell_who_is_behind(
    head: str, ours: set[str], remote: str, is_there: bool | None, expected: Drift
) -> None:
    assert drift(head=head, ours=ours, remote=remote, is_there=is_there) is expected


def test_unknown_is_a_dash() -> None:
    assert WORDS[Drift.UNKNOWN] == "—"
