"""The form of one example: what the agent is told, and what a good answer is."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from fleets.domain.answer_fields import answer_fields
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.profile_examples import Example, read_example
from fleets.forms.answer import AnswerForm


class ProfileExampleForm(AnswerForm):
    """Every field is text as it was typed; `example` is what it means once nothing is wrong."""

    field_order = ("prompt",)

    prompt = forms.CharField(
        label="Prompt",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"class": "input", "rows": "8"}),
        help_text="The agent gets it as it stands, in a new session.",
    )
    seen = forms.CharField(required=False, max_length=16, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.example: Example | None = None

    @classmethod
    def of(cls, example: Example) -> "ProfileExampleForm":
        """Filled in with an example that there is."""
        first = {"prompt": example.prompt, "seen": example.mark, **answer_fields(example.check)}
        return cls(initial=first)

    def clean(self) -> dict[str, Any]:
        """Ask the domain; its problems stand at their fields."""
        cleaned = super().clean() or {}
        try:
            self.example = read_example({name: str(value) for name, value in self.data.items()})
        except InvalidInput as error:
            self.add_problems(error.problems)
        return cleaned

    @property
    def asks_of_answers(self) -> bool:
        """The check is always open: an example without one tells little."""
        return True

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Put problems at their fields; what has no field stands above the form."""
        for one in problems:
            self.add_error(one.place if one.place in self.fields else None, one.message)
