"""How a profile of ours stands to what the platform's own catalog has under its id."""

from collections.abc import Collection
from enum import StrEnum


class Drift(StrEnum):
    """`unknown`: that catalog was not read yet, or what is there could not be kept."""

    UNKNOWN = "unknown"
    ABSENT = "absent"
    SAME = "same"
    BEHIND = "behind"
    CHANGED = "changed"
    ELSEWHERE = "elsewhere"


WORDS = {
    Drift.UNKNOWN: "—",
    Drift.ABSENT: "not there",
    Drift.SAME: "in step",
    Drift.BEHIND: "the platform is behind",
    Drift.CHANGED: "changed on the platform",
    Drift.ELSEWHERE: "only there",
}


def drift(
    *,
    head: str,
    ours: Collection[str],
    remote: str,
    is_there: bool | None,
) -> Drift:
    """Compare digests: of our head ("" for none), of all our revisions, of theirs ("" unknown).

    `is_there`: whether the platform has one, None when nobody has looked. What stands there and was
    a revision of ours is behind; what never was has been changed by somebody else.
    """
    if is_there is None:
        return Drift.UNKNOWN
    if not is_there:
        return Drift.ABSENT
    if not remote:
        return Drift.UNKNOWN
    if not head and not ours:
        return Drift.ELSEWHERE
    if remote == head:
        return Drift.SAME
    return Drift.BEHIND if remote in ours else Drift.CHANGED
