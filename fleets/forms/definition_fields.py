"""The fields of the definition editor as they are drawn: label, hint, choices, what is wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from fleets.domain.harnesses import DEFAULT_HARNESS, HARNESSES
from fleets.domain.prices import MACHINE_SIZES
from fleets.domain.spec import DEFAULT_MODEL, DEFAULT_SIZE

Choice = tuple[str, str]

# Label and hint; the rules are the domain's.
LABELS: Final[Mapping[str, tuple[str, str]]] = {
    "name": ("Name", "also the name of its fleets"),
    "description": ("Description", ""),
    "tags": ("Tags", "separated by commas"),
    "count": ("Agents", "agent-1, agent-2, …"),
    "profile": ("Profile", "of the catalog; empty: none"),
    "which": ("Revision", "head, expect r12, fixed r12 or a label"),
    "list": ("Agents as a list", "JSON, as in agents.json: [{agentId, profile, task, …}]"),
    "machines": ("Machines", "workers: worker-1, worker-2, …"),
    "coordinator": ("Coordinator", "one more machine, which the platform calls so"),
    "column_id": ("Agent id from", "empty: by the row's number"),
    "column_task": ("Task from", "{task} in the message, or all of it"),
    "column_profile": ("Profile from", "empty: every profile gets every row"),
    "group_by": ("Grouped by", "rows that agree are one agent's"),
    "rows_per_agent": ("Rows per agent", ""),
    "row_text": ("Text of a row", "where an agent has several; {rows} is all of them"),
    "column_names": ("Names of columns", "one per line, field: column"),
    "tasks": (
        "Tasks",
        "one a line; or JSON, [text, …] or [{id, message}, …]; “ask”: they come with each launch",
    ),
    "session": ("Session", "of an agent"),
    "message": ("Message", "{{ is a brace"),
    "harness": ("Harness", "where an agent says none"),
    "model": ("Model", "where an agent says none"),
    "size": ("Machine size", ""),
    "placement": ("Placement", "auto, dedicated, or how many share a machine"),
    "budget": ("Budget", "empty: none, for admins only"),
    "at_once": ("At once", "auto: as many as the budget can hold"),
    "lifetime": ("Lifetime", "of the machines, at most"),
    "task_timeout": ("Per task", "then it is timed out"),
    "after": ("Afterwards", "what becomes of the machines"),
    "after_delay": ("After", "from the end of the last task"),
    "image": ("Image", "an environment or an image; empty: universal"),
    "template": ("Template", "instead of an image"),
    "git_url": ("Git repository", "without a password in it"),
    "git_ref": ("Branch, tag or commit", "empty: its default branch"),
    "setup": ("Set-up command", "on each machine before its first turn; must exit 0"),
    "setup_timeout": ("may take", "5 min where it is empty"),
    "secrets": ("Secrets", "names of secrets of the account, separated by commas"),
    "domains": ("Hosts they may reach", "one domain per line; empty: any"),
    "implicit": ("The platform's own hosts too", ""),
    "answer_shape": ("Shape of an answer", ""),
    "answer_check": ("Accepted when", ""),
    "answer_pattern": ("Pattern", "for matches"),
    "answer_field": ("Field", "for field equals"),
    "answer_value": ("Value", "JSON, for field equals"),
    "answer_command": ("Command", "on the machine, for command"),
    "answer_schema": ("JSON Schema", "for the shape JSON Schema"),
}
CHOICES: Final[Mapping[str, Sequence[Choice]]] = {
    "harness": [("", f"default ({DEFAULT_HARNESS})"), *((name, name) for name in HARNESSES)],
    "size": [
        ("", f"default ({DEFAULT_SIZE})"),
        *((size.name, f"{size.name}: {size.vcpus} vCPU") for size in MACHINE_SIZES.values()),
    ],
    "after": [("", "default (delete)"), ("delete", "delete"), ("stop", "stop"), ("keep", "keep")],
    "coordinator": [("", "none"), ("yes", "one")],
    "session": [("", "new for each task"), ("same", "one for all its tasks")],
    "implicit": [("", "default (yes)"), ("yes", "yes"), ("no", "no")],
    "answer_shape": [
        ("", "text"),
        ("json", "JSON"),
        ("json_schema", "JSON Schema"),
    ],
    "answer_check": [
        ("", "unchecked"),
        ("not_empty", "not empty"),
        ("matches", "matches a pattern"),
        ("field_equals", "a field equals"),
        ("command", "a command exits 0"),
        ("person", "a person accepts"),
    ],
}
PLACEHOLDERS: Final[Mapping[str, str]] = {
    "model": DEFAULT_MODEL,
    "placement": "auto",
    "at_once": "auto",
    "lifetime": "60 min",
    "task_timeout": "10 min",
    "after_delay": "30 min",
    "image": "universal",
    "git_url": "https://github.com/acme/monorepo.git",
    "git_ref": "main",
    "which": "head",
    "domains": "api.github.com\n*.example.org",
}
COLUMNS: Final = ("column_id", "column_task", "column_profile", "group_by")


@dataclass(frozen=True, slots=True)
class EditField:
    """One field as it is drawn; `choices` makes it a select."""

    name: str
    label: str
    value: str
    hint: str = ""
    error: str = ""
    placeholder: str = ""
    choices: Sequence[Choice] = ()


@dataclass(frozen=True, slots=True)
class VariantRow:
    """A profile of the matrix: five fields beside each other."""

    number: int
    fields: Mapping[str, EditField]


def edit_fields(
    values: Mapping[str, str], errors: Mapping[str, str], *, columns: Sequence[str]
) -> dict[str, EditField]:
    """The fields by their names; `columns` are those of the rows, offered where one is chosen."""
    return {
        name: EditField(
            name=name,
            label=label,
            value=values.get(name, ""),
            hint=hint,
            error=errors.get(name, ""),
            placeholder=PLACEHOLDERS.get(name, ""),
            choices=_choices(name, values.get(name, ""), columns),
        )
        for name, (label, hint) in LABELS.items()
    }


def variant_rows(values: Mapping[str, str], errors: Mapping[str, str]) -> list[VariantRow]:
    """The profiles of the matrix, and an empty one for the next."""
    count = 0
    while f"v{count}_name" in values:
        count += 1
    labels = {"name": "Name", "profile": "Profile", "which": "Revision"}
    labels |= {"harness": "Harness", "model": "Model"}
    return [
        VariantRow(
            number,
            {
                name: EditField(
                    name=f"v{number}_{name}",
                    label=f"{label} of profile {number + 1}",
                    value=values.get(f"v{number}_{name}", ""),
                    error=errors.get(f"v{number}_{name}", ""),
                    placeholder={"which": "head", "name": "its id"}.get(name, "—"),
                )
                for name, label in labels.items()
            },
        )
        for number in range(count + 1)
    ]


def file_rows(values: Mapping[str, str], errors: Mapping[str, str]) -> list[dict[str, EditField]]:
    """The files of the machines, and an empty one for the next."""
    count = 0
    while f"f{count}_path" in values:
        count += 1
    return [
        {
            name: EditField(
                name=f"f{number}_{name}",
                label=f"{label} of file {number + 1}",
                value=values.get(f"f{number}_{name}", ""),
                error=errors.get(f"f{number}_{name}", ""),
                placeholder="data/notes.md" if name == "path" else "",
            )
            for name, label in (("path", "Path"), ("content", "Content"))
        }
        for number in range(count + 1)
    ]


def _choices(name: str, value: str, columns: Sequence[str]) -> Sequence[Choice]:
    """What is offered; a value that is not among them is offered too, so that it stays."""
    if name in COLUMNS and columns:
        offered: list[Choice] = [("", "—"), *((one, one) for one in columns)]
    else:
        offered = list(CHOICES.get(name, ()))
    if offered and value not in dict(offered):
        offered.append((value, value[:60]))
    return offered
