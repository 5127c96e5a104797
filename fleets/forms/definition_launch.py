"""The launch of a definition: its recipe with what one launch may say otherwise."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from django import forms

from fleets.domain.csv_rows import Table
from fleets.domain.definition import Definition as Recipe
from fleets.domain.definition import check_definition
from fleets.domain.definition_form import field_at
from fleets.domain.definition_tasks import PLACE, tasks_value
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.expansion import Expansion
from fleets.domain.money import usd_string
from fleets.domain.numbers import show_duration_s
from fleets.domain.spec import AUTO, MAX_NAME_CHARS
from fleets.forms.launch import new_form_key
from fleets.forms.launch_person import personal_problems
from fleets.models import DefinitionRevision, StoredRows, User
from fleets.selectors.definition_check import launch_of, rows_of
from fleets.selectors.definition_rows import stored_rows, table_of
from fleets.selectors.launch_options import LaunchOptions

# Fields of the form by their places in the document.
PLACES: Final[Mapping[str, str]] = {
    "name": "name",
    "budgetUsd": "budget",
    "atOnce": "at_once",
    "lifetime": "lifetime",
    "taskTimeout": "task_timeout",
    "tags": "tags",
    "rows": "rows_file",
    "team": "team",
}
_BESIDE_A_UNIT: Final[Mapping[str, str]] = {"class": ""}


def _text(label: str, *, help_text: str = "", **attrs: str) -> forms.CharField:
    kept = {name: value for name, value in {"class": "input", **attrs}.items() if value}
    widget = forms.TextInput(attrs=kept)
    return forms.CharField(label=label, required=False, widget=widget, help_text=help_text)


class DefinitionLaunchForm(forms.Form):
    """Every field is text as it was typed. `expansion` is the launch, None while it has problems.

    `rows` names rows that were uploaded for this launch; without it, those of the definition count.
    """

    name = _text("Name", maxlength=str(MAX_NAME_CHARS))
    team = forms.CharField(
        label="Team", required=False, widget=forms.Select(attrs={"class": "select"})
    )
    budget = _text("Budget", inputmode="decimal", **_BESIDE_A_UNIT)
    at_once = _text("At once", help_text="auto: as many as it can hold", **_BESIDE_A_UNIT)
    lifetime = _text("Lifetime", help_text="of the machines, at most")
    task_timeout = _text("Per task", help_text="then it is timed out")
    tags = _text("Tags", help_text="separated by commas")
    tasks = forms.CharField(
        label="Tasks",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"class": "input", "rows": "6", "spellcheck": "false"}),
        help_text="of this launch; one a line, or JSON: [text, …] or [{id, message}, …]",
    )
    rows = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    idempotency_key = forms.CharField(widget=forms.HiddenInput, max_length=80, min_length=8)

    def __init__(
        self,
        revision: DefinitionRevision,
        options: LaunchOptions,
        data: Mapping[str, Any],
        *,
        user: User,
        problems: Iterable[Problem] = (),
    ) -> None:
        super().__init__(data=dict(data))
        self.revision = revision
        self.options = options
        self.user = user
        self.teams = dict(options.teams)
        widget = self.fields["team"].widget
        assert isinstance(widget, forms.Select)
        widget.choices = options.teams
        self.recipe: Recipe | None = None
        self.expansion: Expansion | None = None
        self.stored: StoredRows | None = None
        self.table: Table | None = None
        self.problems: tuple[Problem, ...] = tuple(problems)

    @classmethod
    def first(cls, recipe: Recipe, options: LaunchOptions, *, team: str = "") -> dict[str, str]:
        """The values of a new form: the recipe's own, for the team it was launched for last."""
        base = recipe.base
        teams = dict(options.teams)
        own = team if team in teams else next(iter(teams), "")
        return {
            "name": base.name,
            "team": own,
            "budget": "" if base.budget_nusd is None else usd_string(base.budget_nusd),
            "at_once": AUTO if base.at_once is None else str(base.at_once),
            "lifetime": show_duration_s(base.lifetime_s),
            "task_timeout": show_duration_s(base.task_timeout_s),
            "tags": ", ".join(base.tags),
            "rows": "",
            "idempotency_key": new_form_key(),
        }

    def clean(self) -> dict[str, Any]:
        """Read the recipe with what was typed; problems stand at their fields."""
        cleaned = super().clean() or {}
        if "idempotency_key" in self.errors:
            self.add_error(None, "The form's own key was missing or broken. Press Launch again.")
            self.data = {**self.data, "idempotency_key": new_form_key()}
        read = check_definition(self._document())
        personal = personal_problems(
            self.user,
            team=self.typed("team"),
            teams=self.teams,
            has_budget=bool(self.typed("budget")),
        )
        found = [*self.problems, *read.problems, *personal]
        self.recipe = read.definition
        if read.definition is not None:
            try:
                self.expansion = self._expand(read.definition)
            except InvalidInput as error:
                found += error.problems
        if not self.typed("team"):
            found.append(Problem("team", "The team is missing: a fleet belongs to one team."))
        self.problems = ()
        self.add_problems(found)
        return cleaned

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Put problems at their fields; what has no field stands above the form."""
        for problem in problems:
            place = PLACES.get(problem.place) or field_at(problem.place) or problem.place
            known = place if place in self.fields else None
            words = problem.message if known else str(problem)
            self.problems += (replace(problem, place=place),)
            self.add_error(known, words)

    def typed(self, name: str) -> str:
        """What stands in a field, without white space around it."""
        return str(self.data.get(name, "")).strip()

    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.revision.body)
        changed: dict[str, Any] = {
            "name": self.typed("name"),
            "budgetUsd": self.typed("budget") or None,
            "lifetime": self.typed("lifetime"),
            "tags": [tag.strip() for tag in self.typed("tags").split(",") if tag.strip()],
        }
        if "at_once" in self.data:
            # Machines without agents have none of these on their page.
            changed["atOnce"] = self.typed("at_once") or AUTO
            changed["taskTimeout"] = self.typed("task_timeout")
        if PLACE in document and self.typed(PLACE):
            changed[PLACE] = tasks_value(str(self.data[PLACE]))
        return {**document, **changed}

    def _expand(self, recipe: Recipe) -> Expansion:
        self.stored = stored_rows(self.typed("rows"))
        if self.stored is not None:
            self.table = table_of(self.stored)
        else:
            self.stored, self.table = rows_of(recipe)
        return launch_of(recipe, table=self.table, user=self.user)
