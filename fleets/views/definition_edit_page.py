"""The page of the definition editor, from what is being written."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from fleetdash import htmx
from fleets.access import user_of
from fleets.domain.csv_rows import DELIMITERS, ENCODINGS
from fleets.domain.definition_fields import FIELDS
from fleets.domain.definition_form import INLINE, field_at, kind_of
from fleets.domain.errors import Advice, Problem
from fleets.domain.expansion import Expansion
from fleets.domain.matrix import Matrix
from fleets.domain.matrix_prompts import message_fields
from fleets.domain.pool import POOL_FIELDS
from fleets.domain.prices import OFFERED_MODELS
from fleets.domain.profile_merge import MergeConflict
from fleets.domain.template import LAUNCH_FIELDS
from fleets.forms.definition_fields import LABELS, edit_fields, file_rows, variant_rows
from fleets.models import Definition, User
from fleets.selectors.definition_drafts import also_editing
from fleets.selectors.definition_drift import drift_of
from fleets.selectors.definition_rows import shown_rows
from fleets.selectors.profile_choices import profile_choices
from fleets.views.definition_editor import FORM, Editor
from fleets.views.launch_preview import panel

FRAGMENTS: Final = ("editor", "edit-preview")
_PROMPTS_SHOWN: Final = 2


@dataclass(frozen=True, slots=True)
class Late:
    """A save that came too late, or what was brought together after one."""

    message: str
    newest: int
    conflicts: Sequence[MergeConflict] = ()
    is_merged: bool = False


def editor_page(
    request: HttpRequest,
    editor: Editor,
    *,
    definition: Definition | None = None,
    late: Late | None = None,
    is_refused: bool = False,
    is_quiet: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The editor; `is_quiet` tells nobody what is missing before anything was written."""
    context: dict[str, Any] = {
        "editor": editor,
        "late": late,
        "is_refused": is_refused,
        **_addresses(definition),
        "editing": also_editing(definition, user_of(request), now=timezone.now()),
        **_document(editor, has_errors=is_refused),
        **_beside(editor, user_of(request), is_quiet=is_quiet),
    }
    return htmx.render(
        request,
        "definitions/definition_edit.html",
        context,
        fragments=FRAGMENTS,
        oob=("edit-rows",) if editor.has_upload and editor.mode == FORM else (),
        status=422 if is_refused else status,
    )


def _addresses(definition: Definition | None) -> dict[str, Any]:
    slug = [definition.slug] if definition else []
    return {
        "definition": definition,
        "here": reverse("fleets:definition_detail", args=slug) if slug else "",
        "action": reverse(f"fleets:definition_{'edit' if slug else 'new'}", args=slug),
        "preview_url": reverse("fleets:definition_preview"),
        "discard_url": reverse("fleets:definition_discard", args=slug or ["new"]),
    }


def _document(editor: Editor, *, has_errors: bool) -> dict[str, Any]:
    """The document as fields, and as the hidden text that keeps what they do not show."""
    document = editor.document or {}
    errors = editor.errors if has_errors else {}
    values = editor.values
    columns = editor.table.columns if editor.table else ()
    return {
        "document": json.dumps(document, ensure_ascii=False),
        "kind": kind_of(document),
        "fields": edit_fields(values, errors, columns=columns),
        "variants": variant_rows(values, errors),
        "files": file_rows(values, errors),
        "rows": shown_rows(editor.rows, editor.table) if editor.rows and editor.table else None,
        "rows_value": values.get("rows", ""),
        "row_error": errors.get("rows", ""),
        "has_machines": bool(document.get("machine")),
        "has_tasks": "tasks" in document,
        "has_answer": bool(document.get("answer")),
        "profiles": profile_choices(),
        "inline": INLINE,
        "models": OFFERED_MODELS,
        "delimiters": DELIMITERS.items(),
        "encodings": ENCODINGS,
        "views": ((FORM, "Form"), ("json", "JSON"), ("yaml", "YAML")),
        "view": FORM if editor.mode == FORM else editor.syntax,
        "next_number": (editor.base or 0) + 1,
    }


def _beside(editor: Editor, user: User, *, is_quiet: bool) -> dict[str, Any]:
    """The launch that it would make, and what is wrong."""
    checked = editor.checked
    expansion = checked.expansion if checked else None
    problems = [] if is_quiet else [_advice(one, editor) for one in editor.problems]
    preview = panel(
        expansion.spec if expansion else None,
        user,
        now=timezone.now(),
        labels={name: label for name, (label, _) in LABELS.items()},
        fields=FIELDS,
    )
    drift = drift_of(checked.recipe) if checked else []
    return {
        "preview": replace(
            preview,
            problems=[*problems, *preview.problems],
            warnings=[*drift, *preview.warnings],
        ),
        "shape": checked.facts.shape if checked else "",
        "machines_sentence": checked.recipe.machine.sentence if checked else "",
        "message_fields": _message_fields(editor),
        "prompts": _more_prompts(expansion) if expansion else (),
    }


def _advice(problem: Problem, editor: Editor) -> tuple[str, Advice]:
    """A problem as the panel shows it: its line in the source, or its field in the form."""
    line = editor.lines.get(problem.place)
    name = field_at(problem.place)
    if editor.mode == FORM:
        label = LABELS[name][0] if name in LABELS else problem.place
        return label, replace(problem.as_advice, place=name or problem.place)
    label = f"line {line}, {problem.place}" if line else problem.place
    return label, replace(problem.as_advice, place="source", line=line or 0)


def _message_fields(editor: Editor) -> Sequence[str]:
    """The fields that the message may have."""
    if (editor.document or {}).get("tasks"):
        return POOL_FIELDS
    recipe = editor.checked.recipe if editor.checked else None
    if recipe is None or not isinstance(recipe.agents, Matrix):
        return LAUNCH_FIELDS
    return message_fields(recipe.agents, editor.table.columns if editor.table else ())


def _more_prompts(expansion: Expansion) -> Sequence[tuple[str, str]]:
    """The prompts of the agents after the first, which the panel shows itself."""
    plans = expansion.spec.agents[1 : 1 + _PROMPTS_SHOWN]
    return [(plan.agent_id, plan.task) for plan in plans if plan.task]
