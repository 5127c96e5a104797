"""What the editor of a definition brought, as a form or as source: one document either way."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from django.http import HttpRequest

from fleets.access import user_of
from fleets.domain.csv_rows import Table
from fleets.domain.definition import check_definition
from fleets.domain.definition_form import field_at, from_fields, to_fields
from fleets.domain.errors import InvalidInput, Problem, Repair
from fleets.domain.json_lines import MAX_BYTES, JsonText, Path, read_json
from fleets.domain.matrix import Matrix
from fleets.domain.number_input import parse_whole
from fleets.domain.profile_body import body_text
from fleets.domain.yaml_lines import YamlText, read_yaml
from fleets.domain.yaml_text import write_yaml
from fleets.models import StoredRows, User
from fleets.selectors.definition_check import CheckedDefinition, check_recipe
from fleets.selectors.definition_rows import stored_rows, table_of
from fleets.views.definition_rows import upload_of
from fleets.views.launch_input import TASKS_FILE, tasks_in

FORM: Final = "form"
SOURCE: Final = "source"
FIRST: Final[Mapping[str, Any]] = {
    "name": "",
    "agents": {"count": 10},
    "message": "",
    "budgetUsd": "1.00",
}


@dataclass(slots=True)
class Editor:
    """The document as it is being written. `document` None: the source cannot be read."""

    mode: str
    document: dict[str, Any] | None
    source: str = ""
    syntax: str = "json"
    base: int | None = None
    note: str = ""
    problems: tuple[Problem, ...] = ()
    lines: dict[str, int] = field(default_factory=dict)
    checked: CheckedDefinition | None = None
    has_upload: bool = False
    resumed_at: datetime | None = None
    kept_at: datetime | None = None
    rows: StoredRows | None = None
    table: Table | None = None

    @property
    def values(self) -> dict[str, str]:
        """The fields of the form."""
        return to_fields(self.document or {})

    @property
    def errors(self) -> dict[str, str]:
        """What is wrong with fields, the first of each."""
        found: dict[str, str] = {}
        for problem in self.problems:
            found.setdefault(field_at(problem.place) or problem.place, problem.message)
        return found


def first_editor(
    document: Mapping[str, Any], *, user: User, mode: str = FORM, base: int | None = None
) -> Editor:
    """The editor over a document nobody has touched yet; it is not told what is missing."""
    editor = Editor(mode=mode, document=dict(document), base=base)
    settle(editor, user)
    return editor


def posted_editor(request: HttpRequest) -> Editor:
    """What was posted, with the mode changed, a repair carried out, a file of rows read."""
    posted = request.POST
    mode = SOURCE if posted.get("mode") == SOURCE else FORM
    editor = Editor(
        mode=mode,
        document=None,
        syntax="yaml" if posted.get("syntax") == "yaml" else "json",
        base=parse_whole(posted.get("base", "")),
        note=posted.get("note", ""),
    )
    read: JsonText | YamlText | None = None
    if mode == SOURCE:
        read = read_source(editor, posted.get("source", ""))
    else:
        _read_form(editor, request)
    _repair(editor, posted.get("repair", ""))
    _change_mode(editor, posted.get("to", ""))
    settle(editor, user_of(request))
    if read is not None and editor.mode == SOURCE:
        lines = {one.place: read.line_of(_path(one.place)) for one in editor.problems}
        editor.lines = lines
    return editor


def _read_form(editor: Editor, request: HttpRequest) -> None:
    fields = {name: str(value) for name, value in request.POST.items()}
    upload = upload_of(request)
    editor.has_upload = bool(upload.fields) or bool(upload.problems)
    if upload.fields:
        fields["rows"] = upload.fields["rows"]
    elif "ask_rows" in fields:
        fields["rows"] = "ask"
    listed = request.FILES.get(TASKS_FILE)
    if listed is not None:
        # One byte more than fits, so that the domain says what is too long.
        fields["tasks"] = tasks_in(listed.read(MAX_BYTES + 1), name=listed.name or "")
    kept = _object(request.POST.get("document", ""))
    editor.document = from_fields(kept, fields)
    editor.problems = upload.problems


def read_source(editor: Editor, text: str) -> JsonText | YamlText | None:
    """Take over a source; one that cannot be read says why and leaves no document."""
    editor.source = text.replace("\r\n", "\n")
    try:
        is_json = text.lstrip()[:1] in ("{", "[")
        read = (read_json if is_json else read_yaml)(editor.source, place="source")
    except InvalidInput as error:
        editor.problems = error.problems
        return None
    editor.syntax = "json" if is_json else "yaml"
    if not isinstance(read.value, dict):
        editor.problems = (
            Problem("source", "Line 1: a definition is an object {name, agents, …}."),
        )
        return None
    editor.document = read.value
    return read


def _repair(editor: Editor, pressed: str) -> None:
    name, equals, value = pressed.partition("=")
    if equals and editor.document is not None:
        shown = to_fields(editor.document)
        editor.document = from_fields(editor.document, {**shown, name: value})
        if editor.mode == SOURCE:
            editor.source = _written(editor)


def _change_mode(editor: Editor, to: str) -> None:
    """The other view of the same document; a source that cannot be read stays open."""
    if to in ("json", "yaml") and editor.document is not None:
        editor.mode, editor.syntax = SOURCE, to
        editor.source = _written(editor)
    elif to == FORM and editor.document is not None:
        editor.mode = FORM


def _written(editor: Editor) -> str:
    document = editor.document or {}
    return write_yaml(document) if editor.syntax == "yaml" else body_text(document)


def settle(editor: Editor, user: User) -> None:
    """Check the document, and find the rows it names for the form."""
    if editor.document is None:
        return
    read = check_definition(editor.document)
    found = list(read.problems)
    if read.definition is not None:
        try:
            editor.checked = check_recipe(editor.document, user=user)
        except InvalidInput as error:
            found += error.problems
    editor.problems = (*editor.problems, *(_at_field(problem) for problem in found))
    digest = editor.document.get("agents")
    if editor.checked is not None:
        editor.rows, editor.table = editor.checked.rows, editor.checked.table
    elif read.definition is not None and isinstance(read.definition.agents, Matrix):
        _load_rows(editor, read.definition.agents.rows_digest)
    elif isinstance(digest, Mapping) and isinstance(digest.get("matrix"), Mapping):
        _load_rows(editor, str(digest["matrix"].get("rows", "")))


def _load_rows(editor: Editor, digest: str) -> None:
    editor.rows = stored_rows(digest)
    editor.table = table_of(editor.rows) if editor.rows else None


def _at_field(problem: Problem) -> Problem:
    """The same, its repair by the field of the form."""
    repair = problem.repair
    if repair is None:
        return problem
    name = field_at(repair.field) or repair.field
    return replace(problem, repair=Repair(repair.label, name, repair.value))


def _object(text: str) -> dict[str, Any]:
    try:
        value = read_json(text, place="document").value
    except InvalidInput:
        return {}
    return value if isinstance(value, dict) else {}


def _path(place: str) -> Path:
    """The path that a place was written from."""
    steps: list[str | int] = []
    for part in place.split("."):
        name, *numbers = part.replace("]", "").split("[")
        if name:
            steps.append(name)
        steps += [int(one) for one in numbers if one.isascii() and one.isdigit() and len(one) < 10]
    return tuple(steps)
