"""The example tasks of a profile, as they are shown and as they are tried."""

from collections.abc import Sequence
from dataclasses import dataclass

from fleets.domain.profile_examples import MOST_EXAMPLES, Example, example_of, number_words
from fleets.models import Profile


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """One of them in its place, counted from 1."""

    pk: int
    position: int
    example: Example
    is_first: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class ExampleList:
    """All of them in order. `words` say what so few are worth, "" where they are enough."""

    rows: Sequence[ExampleRow]
    words: str

    @property
    def is_full(self) -> bool:
        """Whether no other may be added."""
        return len(self.rows) >= MOST_EXAMPLES

    @property
    def unchecked(self) -> int:
        """How many of them do not say what a good answer is."""
        return sum(row.example.check.asks_nothing for row in self.rows)


def example_list(profile: Profile) -> ExampleList:
    """The examples of a profile. One query."""
    found = list(profile.examples.order_by("position").values_list("pk", "prompt", "acceptance"))
    last = len(found)
    rows = [
        ExampleRow(
            pk=pk,
            position=position,
            example=example_of(prompt=prompt, acceptance=acceptance),
            is_first=position == 1,
            is_last=position == last,
        )
        for position, (pk, prompt, acceptance) in enumerate(found, start=1)
    ]
    return ExampleList(rows, number_words(last))
