"""What a reference means for the next launch once the head has moved."""

import pytest

from fleets.domain.profile_refs import ProfileRef, RefMode
from fleets.domain.reference_effect import Effect, effect_of


@pytest.mark.parametrize(
    ("ref", "effect", "words"),
    [
        (ProfileRef("p"), Effect.TAKES, "takes r13"),
        (ProfileRef("p", RefMode.EXPECT, 13), Effect.TAKES, "expects r13, which it is"),
        (ProfileRef("p", RefMode.EXPECT, 12), Effect.REFUSED, "expects r12: its next launch is"),
        (ProfileRef("p", RefMode.FIXED, 12), Effect.SAME, "fixed at r12"),
        (ProfileRef("p", RefMode.LABEL, label="stable"), Effect.SAME, "still r12"),
        (ProfileRef("p", RefMode.LABEL, label="next"), Effect.TAKES, "follows next: takes r13"),
        (ProfileRef("p", RefMode.LABEL, label="gone"), Effect.REFUSED, "gone, which is gone"),
    ],
    ids=str,
)
def test_each_way_of_naming_a_profile_says_what_its_next_launch_gets(
    ref: ProfileRef, effect: Effect, words: str
) -> None:
    found = effect_of(ref, head=13, labels={"stable": 12, "next": 13})
    assert found.effect is effect
    assert words in found.words
