"""What a reference to a profile means for the next launch, now that the head is what it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from fleets.domain.profile_refs import ProfileRef, RefMode


class Effect(StrEnum):
    """What becomes of the next launch."""

    TAKES = "takes"
    REFUSED = "refused"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class RefEffect:
    """The effect, and the sentence that says it."""

    effect: Effect
    words: str


def effect_of(ref: ProfileRef, *, head: int, labels: Mapping[str, int]) -> RefEffect:
    """The effect of one reference; `labels` are the profile's, by name."""
    if ref.mode is RefMode.HEAD:
        return RefEffect(Effect.TAKES, f"takes r{head} at its next launch")
    if ref.mode is RefMode.EXPECT:
        if ref.number == head:
            return RefEffect(Effect.TAKES, f"expects r{head}, which it is")
        words = f"expects r{ref.number}: its next launch is refused"
        return RefEffect(Effect.REFUSED, words)
    if ref.mode is RefMode.FIXED:
        return RefEffect(Effect.SAME, f"is fixed at r{ref.number}: nothing changes for it")
    number = labels.get(ref.label)
    if number is None:
        words = f"follows {ref.label}, which is gone: its next launch is refused"
        return RefEffect(Effect.REFUSED, words)
    if number == head:
        return RefEffect(Effect.TAKES, f"follows {ref.label}: takes r{head} at its next launch")
    return RefEffect(Effect.SAME, f"follows {ref.label}, still r{number}: nothing changes for it")
