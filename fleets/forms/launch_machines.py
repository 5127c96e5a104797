"""What the machines of a launch get, as fields; and machines that are launched without agents."""

import json
from collections.abc import Mapping
from typing import Any, Final

from django import forms

from fleets.domain.definition_fields import MACHINE_FIELD
from fleets.domain.definition_form import from_fields, to_fields
from fleets.domain.machine_input import PLACE
from fleets.domain.only_machines import COORDINATOR
from fleets.domain.status import Pattern
from fleets.forms.definition_fields import CHOICES, LABELS, PLACEHOLDERS, EditField, file_rows
from fleets.models import Fleet
from fleets.selectors.agents_document import machines_like

COORDINATOR_CHOICES: Final = (("", "none"), ("yes", "one, beside them"))


def _text(name: str, *, rows: int = 0) -> forms.CharField:
    label, hint = LABELS[name]
    attrs = {"class": "input", "placeholder": PLACEHOLDERS.get(name, ""), "autocomplete": "off"}
    if rows:
        code = {**attrs, "class": "input mono", "rows": str(rows), "spellcheck": "false"}
        widget: forms.Widget = forms.Textarea(attrs=code)
    else:
        widget = forms.TextInput(attrs=attrs)
    return forms.CharField(label=label, required=False, strip=False, widget=widget, help_text=hint)


def _choice(name: str) -> forms.CharField:
    label, hint = LABELS[name]
    widget = forms.Select(attrs={"class": "select"}, choices=CHOICES[name])
    return forms.CharField(label=label, required=False, widget=widget, help_text=hint)


class MachineFields(forms.Form):
    """Every field is text as it was typed; files are numbered, `f0_path` and `f0_content`."""

    machines = forms.CharField(
        label="Machines",
        required=False,
        widget=forms.TextInput(attrs={"class": "input", "inputmode": "numeric"}),
        help_text="workers, worker-1 and so on; then there are no agents",
    )
    coordinator = forms.CharField(
        label="Coordinator",
        required=False,
        widget=forms.Select(attrs={"class": "select"}, choices=COORDINATOR_CHOICES),
        help_text="a machine that the platform calls so",
    )
    image = _text("image")
    template = _text("template")
    git_url = _text("git_url")
    git_ref = _text("git_ref")
    setup = _text("setup", rows=2)
    setup_timeout = _text("setup_timeout")
    secrets = _text("secrets")
    domains = _text("domains", rows=3)
    implicit = _choice("implicit")

    def machine_text(self) -> str:
        """What the machines get as JSON text, "" for nothing of their own."""
        machine = from_fields({}, self.machine_values()).get("machine")
        return json.dumps(machine) if machine else ""

    def machine_values(self) -> dict[str, str]:
        """What stands in the fields and in the files."""
        values = self._values()
        return {name: values[name] for name in values if MACHINE_FIELD.fullmatch(name)}

    @property
    def has_machine(self) -> bool:
        """Whether machines get something of their own, by what stands in the fields now."""
        return any(value.strip() for value in self.machine_values().values())

    @property
    def is_bare(self) -> bool:
        """Whether there are to be machines only."""
        return bool(self._values().get("machines", "").strip())

    @property
    def files_typed(self) -> list[dict[str, EditField]]:
        """The files, and an empty one for the next."""
        return file_rows(self.machine_values(), self.file_errors)

    @property
    def file_errors(self) -> Mapping[str, str]:
        """What is wrong with files, by their fields; a form that knows says it."""
        return {}

    def _values(self) -> dict[str, str]:
        found: Mapping[str, Any] = self.data if self.is_bound else self.initial
        return {name: str(value) for name, value in found.items()}


def machine_fields_like(fleet: Fleet) -> dict[str, str]:
    """The fields of a launch like that fleet."""
    shown = to_fields({PLACE: fleet.machine_needs})
    found = {name: text for name, text in shown.items() if MACHINE_FIELD.fullmatch(name)}
    if fleet.pattern != Pattern.MACHINES:
        return found
    asked = machines_like(fleet)
    lead = "yes" if asked.has_coordinator else ""
    return {**found, "machines": str(asked.workers), COORDINATOR: lead, "count": ""}
