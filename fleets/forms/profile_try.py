"""The form of a trial: against which revision, what it may cost and how long it may take."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django import forms

from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.numbers import show_duration_s
from fleets.domain.profile_trial import AFTER_S, LIFETIME_S, read_trial
from fleets.domain.spec import LaunchSpec
from fleets.forms.answer import chosen_text, typed_text
from fleets.forms.launch import new_form_key
from fleets.forms.launch_person import personal_problems
from fleets.models import User
from fleets.selectors.launch_options import LaunchOptions
from fleets.selectors.profile_try import TrySetup

AFTER_CHOICES: Final = tuple(
    (
        show_duration_s(after_s),
        f"delete {f'after {show_duration_s(after_s)}' if after_s else 'at once'}",
    )
    for after_s in AFTER_S
)
SETTINGS: Final = ("team", "budget", "lifetime", "task_timeout", "after_delay")
_TASK_TIMEOUT_S: Final = 600


class ProfileTryForm(forms.Form):
    """Every field is text as it was typed; `spec` is the launch once nothing is wrong."""

    revision = forms.CharField(max_length=12, widget=forms.HiddenInput)
    against = chosen_text("Against")
    team = chosen_text("Team")
    budget = typed_text("Budget", inputmode="decimal", **{"class": ""})
    lifetime = typed_text("Deadline", help_text="then the machines go, whatever runs")
    task_timeout = typed_text("Per turn", help_text="then it is timed out")
    after_delay = chosen_text("Afterwards", help_text="what becomes of the machines")
    idempotency_key = forms.CharField(widget=forms.HiddenInput, max_length=80, min_length=8)

    def __init__(
        self, setup: TrySetup, options: LaunchOptions, data: Mapping[str, Any], *, user: User
    ) -> None:
        super().__init__(data=dict(data))
        self.setup = setup
        self.user = user
        self.teams = dict(options.teams)
        offered = {
            "against": [(str(number), label) for number, label in setup.numbers],
            "team": options.teams,
            "after_delay": AFTER_CHOICES,
        }
        for field, choices in offered.items():
            widget = self.fields[field].widget
            assert isinstance(widget, forms.Select)
            widget.choices = choices
        self.spec: LaunchSpec | None = None
        self.problems: tuple[Problem, ...] = ()

    @classmethod
    def first(cls, setup: TrySetup, options: LaunchOptions, *, team: str = "") -> dict[str, str]:
        """The values of a new form without a budget; for `team` where one may launch for it."""
        teams = dict(options.teams)
        return {
            "revision": str(setup.tried.number),
            "against": str(setup.against.number),
            "team": team if team in teams else next(iter(teams), ""),
            "budget": "",
            "lifetime": show_duration_s(LIFETIME_S),
            "task_timeout": show_duration_s(_TASK_TIMEOUT_S),
            "after_delay": AFTER_CHOICES[0][0],
            "idempotency_key": new_form_key(),
        }

    def clean(self) -> dict[str, Any]:
        """Ask the domain; its problems stand at their fields."""
        cleaned = super().clean() or {}
        if "idempotency_key" in self.errors:
            self.add_error(None, "The form's own key was missing or broken. Press Try again.")
            self.take_new_key()
        personal = personal_problems(
            self.user, team=self.typed("team"), teams=self.teams, has_budget=True
        )
        if self.setup.refusal:
            return cleaned
        try:
            spec = read_trial(self.settings, self.setup.plan)
        except InvalidInput as error:
            self.add_problems((*error.problems, *personal))
            return cleaned
        self.add_problems(personal)
        self.spec = None if personal else spec
        return cleaned

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Put problems at their fields; what has no field stands above the form."""
        for one in problems:
            self.problems += (one,)
            self.add_error(one.place if one.place in self.fields else None, one.message)

    def take_new_key(self) -> None:
        """Another order: pressed once more, the refused form is a form of its own."""
        self.data = {**self.data, "idempotency_key": new_form_key()}

    @property
    def settings(self) -> dict[str, str]:
        """What is ordered beside the two revisions, as typed."""
        return {name: self.typed(name) for name in SETTINGS}

    def typed(self, name: str) -> str:
        """What stands in a field, without white space around it."""
        return str(self.data.get(name, "")).strip()
