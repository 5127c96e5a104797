"""The launch form: keeps what was typed, asks the domain what is wrong with it."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from django import forms

from fleets.domain import money
from fleets.domain.afterwards import DEFAULT_DELAY_S
from fleets.domain.agents_file import PLACE as AGENTS
from fleets.domain.answer_document import read_answer_check
from fleets.domain.answer_fields import answer_fields
from fleets.domain.definition_form import field_at
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.harnesses import DEFAULT_HARNESS
from fleets.domain.machine_input import PLACE as MACHINE
from fleets.domain.numbers import show_duration_s
from fleets.domain.only_machines import PLACE as MACHINES
from fleets.domain.pool import PLACE as TASKS
from fleets.domain.profile_refs import ProfileRef
from fleets.domain.spec import (
    AUTO,
    DEFAULT_LIFETIME_S,
    DEFAULT_MODEL,
    DEFAULT_SIZE,
    DEFAULT_TASK_TIMEOUT_S,
    MAX_NAME_CHARS,
    LaunchSpec,
    parse_launch,
)
from fleets.domain.status import Afterwards
from fleets.forms.answer import AnswerForm, chosen_text, typed_text
from fleets.forms.launch_machines import MachineFields, machine_fields_like
from fleets.forms.launch_person import personal_problems
from fleets.models import Fleet, User
from fleets.selectors.agents_document import agents_document, shared_profile
from fleets.selectors.launch_options import LaunchOptions
from fleets.selectors.parents import above_of, child_refusal
from fleets.selectors.profile_refs import ResolvedProfile, resolve_profile
from fleets.selectors.tasks_document import fleet_tasks_document

AFTER_CHOICES = (
    (Afterwards.DELETE.value, "delete"),
    (Afterwards.STOP.value, "stop"),
    (Afterwards.KEEP.value, "keep"),
)
SESSION_CHOICES = (("fresh", "new for each task"), ("same", "one for all its tasks"))
_DEFAULTS: Mapping[str, str] = {
    "count": "10",
    "harness": DEFAULT_HARNESS,
    "model": DEFAULT_MODEL,
    "size": DEFAULT_SIZE,
    "placement": AUTO,
    "budget": "1.00",
    "at_once": AUTO,
    "after": Afterwards.DELETE.value,
    "after_delay": show_duration_s(DEFAULT_DELAY_S),
    "lifetime": show_duration_s(DEFAULT_LIFETIME_S),
    "task_timeout": show_duration_s(DEFAULT_TASK_TIMEOUT_S),
}

# Such an input is drawn by the frame that it shares with its unit.
_BESIDE_A_UNIT: Mapping[str, str] = {"class": ""}


def new_form_key() -> str:
    """The key of a fresh form; sent twice, it launches once."""
    return uuid4().hex


class LaunchForm(AnswerForm, MachineFields):
    """Every field is text as it was typed; `spec` is what it means once there is no problem."""

    # What a good answer is comes behind what the agents do.
    field_order = (
        *("name", "team", "count", "profile", "harness", "model", "prompt"),
        *("agents", "tasks", "session"),
    )

    name = typed_text("Name", maxlength=str(MAX_NAME_CHARS))
    team = chosen_text("Team")
    count = typed_text("Agents", inputmode="numeric")
    profile = typed_text(
        "Profile",
        help_text="of the catalog, for all: its harness and model come first."
        " Behind its id: expect r12, fixed r12 or a label",
        list="profiles",
    )
    harness = chosen_text("Harness")
    model = typed_text("Model", list="models")
    prompt = forms.CharField(
        label="Prompt",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"class": "input", "rows": "6"}),
        help_text="Each agent gets it. {agent_id} and {index} are replaced; {{ is a brace."
        " With a list of tasks it may be empty, or stand around each {task}.",
    )
    agents = forms.CharField(
        label="Agents as a file",
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"class": "input mono", "rows": "6", "spellcheck": "false", "wrap": "off"}
        ),
        help_text="JSON or YAML: [{agentId, harness, model, profile, task, placement}]. Then the"
        " number above does not count, and without a prompt each runs its own task.",
    )
    tasks = forms.CharField(
        label="Tasks",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"class": "input", "rows": "6", "spellcheck": "false"}),
        help_text="One a line; or JSON, [text, …] or [{id, message}, …]. Then the agents above"
        " drain it: each takes the next task when it is free.",
    )
    session = chosen_text("Session", help_text="of an agent")
    placement = typed_text("Placement", help_text="auto, dedicated, or how many share a machine")
    size = chosen_text("Machine size")
    budget = typed_text("Budget", inputmode="decimal", **_BESIDE_A_UNIT)
    at_once = typed_text(
        "At once", help_text="auto: as many as the budget can hold", **_BESIDE_A_UNIT
    )
    lifetime = typed_text("Lifetime", help_text="of the machines, at most")
    task_timeout = typed_text("Per task", help_text="then it is timed out")
    after = chosen_text("Afterwards", help_text="what becomes of the machines")
    after_delay = typed_text("After", help_text="from the end of the last task")
    tags = typed_text("Tags", help_text="separated by commas")
    parent = forms.CharField(required=False, widget=forms.HiddenInput)
    parent_agent = typed_text("For agent", help_text="of the parent, whose child it will be")
    idempotency_key = forms.CharField(widget=forms.HiddenInput, max_length=80, min_length=8)

    def __init__(
        self,
        options: LaunchOptions,
        data: Mapping[str, Any] | None,
        *,
        user: User,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data=data, initial=dict(initial or {}))
        self.user = user
        self.options = options
        self.teams = dict(options.teams)
        choices = {
            "team": options.teams,
            "harness": options.harnesses,
            "size": options.sizes,
            "after": AFTER_CHOICES,
            "session": SESSION_CHOICES,
        }
        for field, offered in choices.items():
            widget = self.fields[field].widget
            assert isinstance(widget, forms.Select)
            widget.choices = offered
        self.parent_fleet = _parent(str((data or initial or {}).get("parent", "")))
        self.above = above_of(self.parent_fleet) if self.parent_fleet else None
        self.spec: LaunchSpec | None = None
        self.problems: tuple[Problem, ...] = ()

    @classmethod
    def first(cls, options: LaunchOptions, *, like: Fleet | None = None) -> dict[str, str]:
        """The values of a new form, those of a fleet when it is to be launched like that one."""
        values = {"name": "", "prompt": "", "tags": "", **_DEFAULTS}
        values["team"] = options.teams[0][0] if options.teams else ""
        values["idempotency_key"] = new_form_key()
        if like is not None:
            values |= _like(like)
            if like.team.slug not in dict(options.teams):
                values["team"] = options.teams[0][0] if options.teams else ""
        return values

    @classmethod
    def below(cls, parent: Fleet, *, agent: str) -> dict[str, str]:
        """What a child takes from its parent: its place, its team, at most what is left there."""
        values = {"parent": parent.public_id, "parent_agent": agent, "team": parent.team.slug}
        above = above_of(parent)
        if above.cap_nusd is not None:
            left = min(above.remaining_nusd or 0, money.NUSD_PER_USD)
            values["budget"] = money.usd_string(left) if left else ""
        return values

    def quiet(self) -> "LaunchForm":
        """The same values without a word about what is wrong: nobody has tried to launch yet."""
        return LaunchForm(self.options, None, user=self.user, initial=self.data)

    def clean(self) -> dict[str, Any]:
        """Ask the domain; its problems stand at their fields."""
        cleaned = super().clean() or {}
        if "idempotency_key" in self.errors:
            self.add_error(None, "The form's own key was missing or broken. Press Launch again.")
            self.take_new_key()
        try:
            spec = parse_launch(self._raw(), resolve=self._resolve)
        except InvalidInput as error:
            self.add_problems((*error.problems, *self._personal()))
            return cleaned
        problems = self._personal()
        self.add_problems(problems)
        self.spec = None if problems else spec
        return cleaned

    def _raw(self) -> dict[str, str]:
        """The fields as a launch reads them: what machines get is one of them."""
        return {**{name: self.typed(name) for name in self.fields}, MACHINE: self.machine_text()}

    def _resolve(self, ref: ProfileRef) -> ResolvedProfile:
        return resolve_profile(self.user, ref)

    def _personal(self) -> tuple[Problem, ...]:
        """What depends on who launches, and below which fleet."""
        refusal = child_refusal(self.parent_fleet) if self.parent_fleet else ""
        if self.typed("parent") and self.parent_fleet is None:
            refusal = "The fleet that this was to be a child of is not here."
        has_cap_above = self.above is not None and self.above.cap_nusd is not None
        found = personal_problems(
            self.user,
            team=self.typed("team"),
            teams=self.teams,
            has_budget=bool(self.typed("budget").strip()) or has_cap_above,
        )
        return (*found, *((Problem("", refusal),) if refusal else ()))

    def take_new_key(self) -> None:
        """Another launch: pressed once more, the refused form is a form of its own."""
        self.data = {**self.data, "idempotency_key": new_form_key()}

    def spec_so_far(self) -> LaunchSpec | None:
        """What is typed, with stand-ins for what is still empty; None if something is wrong."""
        raw = self._raw()
        stand_ins = {"name": "fleet", "team": "team"}
        if not raw[AGENTS].strip():
            stand_ins["count"] = "1"
        if not any(raw[name].strip() for name in (AGENTS, TASKS, MACHINES)):
            stand_ins["prompt"] = "{agent_id}"
        for name, text in stand_ins.items():
            if not raw[name].strip():
                raw[name] = text
        try:
            return parse_launch(raw, resolve=self._resolve)
        except InvalidInput:
            return None

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Problems of the domain or of a service, put at their fields."""
        added = tuple(self._at_field(problem) for problem in problems)
        self.problems += added
        for problem in added:
            self.add_error(problem.place if problem.place in self.fields else None, problem.message)

    def _at_field(self, problem: Problem) -> Problem:
        """The same, at the field that shows its place."""
        if problem.place.partition(".")[0] != MACHINE:
            return problem
        return Problem(field_at(problem.place) or problem.place, problem.message, problem.repair)

    @property
    def file_errors(self) -> Mapping[str, str]:
        """What is wrong with files, by their fields."""
        return {one.place: one.message for one in self.problems if one.place not in self.fields}

    def typed(self, name: str) -> str:
        """What stands in a field, as typed."""
        return str(self.data.get(name, ""))

    @property
    def missing(self) -> list[str]:
        """Labels of the fields that must be filled in and are still empty."""
        places = {problem.place for problem in self.problems}
        return [
            str(self.fields[name].label)
            for name in self.fields
            if name in places and not self.typed(name).strip()
        ]


def _parent(public_id: str) -> Fleet | None:
    """The parent that the form names; None for a root, and for one that is not there."""
    if not public_id:
        return None
    return Fleet.objects.select_related("team").filter(public_id=public_id[:63]).first()


def _agents_like(fleet: Fleet) -> dict[str, str]:
    """Its agents: by number with one profile of the catalog where they are alike, else a file."""
    profile = shared_profile(fleet)
    return {"profile": profile, AGENTS: "" if profile else agents_document(fleet)}


def _like(fleet: Fleet) -> dict[str, str]:
    budget = fleet.budget_nusd
    return {
        "name": fleet.name,
        "team": fleet.team.slug,
        "count": str(fleet.agents_total or 1),
        "prompt": fleet.prompt,
        "harness": fleet.harness or DEFAULT_HARNESS,
        "model": fleet.model or DEFAULT_MODEL,
        "size": fleet.size,
        "placement": fleet.placement,
        **_agents_like(fleet),
        TASKS: fleet_tasks_document(fleet),
        "session": "same" if fleet.is_same_session else "fresh",
        **_answer_fields(fleet),
        "budget": "" if budget is None else money.usd_string(budget),
        "at_once": AUTO if fleet.at_once is None else str(fleet.at_once),
        "after": fleet.after,
        "after_delay": show_duration_s(fleet.after_delay_s),
        "lifetime": show_duration_s(fleet.lifetime_s),
        "task_timeout": show_duration_s(fleet.task_timeout_s),
        "tags": ", ".join(fleet.tags),
        **machine_fields_like(fleet),
    }


def _answer_fields(fleet: Fleet) -> dict[str, str]:
    try:
        return answer_fields(read_answer_check(fleet.answer_check))
    except InvalidInput:
        return {}
