"""Writing definitions: a form and a source over one document, with the launch it would make."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from fleetdash import htmx
from fleets.access import get_definition, get_fleet, role_required, user_of
from fleets.domain.csv_rows import DELIMITERS, ENCODINGS
from fleets.domain.definition_fields import FIELDS
from fleets.domain.definition_form import INLINE, field_at, kind_of
from fleets.domain.errors import (
    Advice,
    AlreadySo,
    Conflict,
    DomainError,
    InvalidInput,
    Problem,
)
from fleets.domain.matrix import Matrix
from fleets.domain.matrix_prompts import message_fields
from fleets.domain.prices import OFFERED_MODELS
from fleets.domain.profile_merge import MergeConflict, merge
from fleets.domain.status import Role
from fleets.domain.template import LAUNCH_FIELDS
from fleets.forms.definition_fields import LABELS, edit_fields, file_rows, variant_rows
from fleets.models import Definition
from fleets.selectors.definition_check import body_of
from fleets.selectors.definition_rows import shown_rows
from fleets.selectors.definition_source import document_of_fleet
from fleets.selectors.profile_choices import profile_choices
from fleets.services.actor import Actor
from fleets.services.definitions import create_definition, get_revision, save_definition
from fleets.views.definition_editor import (
    FIRST,
    FORM,
    Editor,
    first_editor,
    posted_editor,
)
from fleets.views.launch_preview import panel

FRAGMENTS: Final = ("editor", "edit-preview")


@dataclass(frozen=True, slots=True)
class Late:
    """A save that came too late, or what was brought together after one."""

    message: str
    newest: int
    conflicts: Sequence[MergeConflict] = ()
    is_merged: bool = False


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR)
def definition_new(request: HttpRequest) -> HttpResponse:
    """A new definition: empty, or with `from` as a fleet was launched. Posted, it is saved."""
    user = user_of(request)
    if request.method != "POST":
        wanted = request.GET.get("from", "")
        document = document_of_fleet(get_fleet(user, wanted)) if wanted else FIRST
        return _page(request, first_editor(document, user=user), is_quiet=not wanted)
    editor = posted_editor(request)
    if editor.document is None or editor.problems:
        return _page(request, editor, is_refused=True)
    try:
        definition = create_definition(
            body=editor.document, note=editor.note, actor=Actor.of(request)
        )
    except InvalidInput as error:
        editor.problems = error.problems
        return _page(request, editor, is_refused=True)
    return htmx.redirect(request, reverse("fleets:definition_detail", args=[definition.slug]))


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR)
def definition_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest revision to change. Posted, it is saved as the next, unless it came too late."""
    user = user_of(request)
    definition = get_definition(user, slug)
    head = definition.head
    assert head is not None
    if request.method != "POST":
        editor = first_editor(body_of(head), user=user, base=head.number)
        return _page(request, editor, definition=definition)
    editor = posted_editor(request)
    if editor.document is None or editor.problems:
        return _page(request, editor, definition=definition, is_refused=True)
    here = reverse("fleets:definition_detail", args=[slug])
    try:
        save_definition(
            definition,
            body=editor.document,
            base=editor.base or 0,
            note=editor.note,
            actor=Actor.of(request),
        )
    except InvalidInput as error:
        editor.problems = error.problems
        return _page(request, editor, definition=definition, is_refused=True)
    except AlreadySo as error:
        late = Late(error.message, head.number, is_merged=True)
        return _page(request, editor, definition=definition, late=late, status=409)
    except Conflict as error:
        late = Late(error.message, int(error.state or head.number))
        return _page(request, editor, definition=definition, late=late, status=409)
    except DomainError as error:
        editor.problems = (Problem("definition", error.message),)
        return _page(request, editor, definition=definition, is_refused=True)
    return htmx.redirect(request, here)


@require_POST
@role_required(Role.OPERATOR)
def definition_preview(request: HttpRequest) -> HttpResponse:
    """What is typed so far: checked, with the launch it would make; `to` changes the view."""
    user = user_of(request)
    slug = request.POST.get("slug", "")
    definition = get_definition(user, slug) if slug else None
    editor = posted_editor(request)
    late = None
    if "rebase" in request.POST and definition is not None:
        late = _rebase(editor, definition)
    return _page(request, editor, definition=definition, late=late)


def _rebase(editor: Editor, definition: Definition) -> Late | None:
    """Bring what is typed together with the newest revision; both changed: the newest stands."""
    head = definition.head
    if head is None or editor.document is None or not editor.base:
        return None
    base = get_revision(definition, editor.base)
    merged = merge(json.loads(base.body), mine=editor.document, theirs=json.loads(head.body))
    editor.document = merged.body
    editor.base = head.number
    editor.mode = FORM if editor.mode == FORM else editor.mode
    if editor.mode != FORM:
        editor.source = json.dumps(merged.body, ensure_ascii=False, indent=2)
    words = f"Brought together with r{head.number}. Nothing is saved yet."
    return Late(words, head.number, merged.conflicts, is_merged=True)


def _page(
    request: HttpRequest,
    editor: Editor,
    *,
    definition: Definition | None = None,
    late: Late | None = None,
    is_refused: bool = False,
    is_quiet: bool = False,
    status: int = 200,
) -> HttpResponse:
    user = user_of(request)
    shown_errors = editor.errors if is_refused else {}
    rows = shown_rows(editor.rows, editor.table) if editor.rows and editor.table else None
    columns = editor.table.columns if editor.table else ()
    values = editor.values
    expansion = editor.checked.expansion if editor.checked else None
    problems = [] if is_quiet else [_advice(one, editor) for one in editor.problems]
    preview = panel(expansion.spec if expansion else None, user, now=timezone.now(), fields=FIELDS)
    machine = editor.checked.recipe.machine if editor.checked else None
    slug = definition.slug if definition else ""
    context: dict[str, Any] = {
        "definition": definition,
        "here": reverse("fleets:definition_detail", args=[slug]) if slug else "",
        "action": reverse("fleets:definition_edit", args=[slug])
        if slug
        else reverse("fleets:definition_new"),
        "preview_url": reverse("fleets:definition_preview"),
        "editor": editor,
        "document": json.dumps(editor.document or {}, ensure_ascii=False),
        "kind": kind_of(editor.document or {}),
        "fields": edit_fields(values, shown_errors, columns=columns),
        "variants": variant_rows(values, shown_errors),
        "files": file_rows(values, shown_errors),
        "rows": rows,
        "asks_for_rows": values.get("rows", "") in ("", "ask"),
        "message_fields": _message_fields(editor),
        "profiles": profile_choices(),
        "inline": INLINE,
        "models": OFFERED_MODELS,
        "delimiters": DELIMITERS.items(),
        "encodings": ENCODINGS,
        "late": late,
        "is_refused": is_refused,
        "preview": replace(preview, problems=[*problems, *preview.problems]),
        "views": ((FORM, "Form"), ("json", "JSON"), ("yaml", "YAML")),
        "view": FORM if editor.mode == FORM else editor.syntax,
        "next_number": (editor.base or 0) + 1,
        "rows_value": values.get("rows", ""),
        "row_error": shown_errors.get("rows", ""),
        "has_machines": bool((editor.document or {}).get("machine")),
        "machines_sentence": machine.sentence if machine else "",
        "has_answer": bool((editor.document or {}).get("answer")),
        "shape": editor.checked.facts.shape if editor.checked else "",
        "prompts": _first_prompts(expansion) if expansion else (),
    }
    return htmx.render(
        request,
        "definitions/definition_edit.html",
        context,
        fragments=FRAGMENTS,
        oob=("edit-rows",) if editor.has_upload and editor.mode == FORM else (),
        status=422 if is_refused else status,
    )


def _advice(problem: Problem, editor: Editor) -> tuple[str, Advice]:
    """A problem as the panel shows it: where it is in the source, or its field in the form."""
    line = editor.lines.get(problem.place)
    name = field_at(problem.place)
    if editor.mode == FORM:
        place = name or problem.place
        label = LABELS[name][0] if name in LABELS else problem.place
    else:
        place = "source"
        label = f"line {line}, {problem.place}" if line else problem.place
    return label, Advice(f"{place}", problem.message, problem.repairs)


def _message_fields(editor: Editor) -> Sequence[str]:
    """The fields that the message may have."""
    recipe = editor.checked.recipe if editor.checked else None
    if recipe is None or not isinstance(recipe.agents, Matrix):
        return LAUNCH_FIELDS
    return message_fields(recipe.agents, editor.table.columns if editor.table else ())


def _first_prompts(expansion: Any) -> Sequence[tuple[str, str]]:
    return [(plan.agent_id, plan.task or "") for plan in expansion.spec.agents[1:3] if plan.task]
