"""Writing definitions: a form and a source over one document, with the launch it would make."""

import json

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from fleetdash import htmx
from fleets.access import get_definition, get_fleet, role_required, user_of
from fleets.domain.errors import (
    AlreadySo,
    Conflict,
    DomainError,
    InvalidInput,
    NotFoundHere,
    Problem,
)
from fleets.domain.profile_merge import merge
from fleets.domain.status import Role
from fleets.models import Definition
from fleets.selectors.definition_source import document_of_fleet, document_of_launch
from fleets.services.actor import Actor
from fleets.services.definition_drafts import drop_draft
from fleets.services.definitions import create_definition, get_revision, save_definition
from fleets.views.definition_drafting import keep, opened
from fleets.views.definition_edit_page import Late, editor_page
from fleets.views.definition_editor import (
    FIRST,
    FORM,
    Editor,
    first_editor,
    posted_editor,
)
from fleets.views.launch_input import typed_with_file


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR)
def definition_new(request: HttpRequest) -> HttpResponse:
    """A new definition: as far as this person was, or with `from` as a fleet was launched. Posted,
    it is saved.
    """
    user = user_of(request)
    if request.method != "POST":
        wanted = request.GET.get("from", "")
        if wanted:
            document = document_of_fleet(get_fleet(user, wanted))
            return editor_page(request, first_editor(document, user=user))
        editor = opened(None, user)
        return editor_page(request, editor, is_quiet=editor.resumed_at is None)
    editor = posted_editor(request)
    if editor.document is None or editor.problems:
        editor.kept_at = keep(None, user, editor)
        return editor_page(request, editor, is_refused=True)
    try:
        definition = create_definition(
            body=editor.document, note=editor.note, actor=Actor.of(request)
        )
    except InvalidInput as error:
        editor.problems = error.problems
        return editor_page(request, editor, is_refused=True)
    drop_draft(None, user=user)
    return htmx.redirect(request, reverse("fleets:definition_detail", args=[definition.slug]))


@require_POST
@role_required(Role.OPERATOR)
def definition_from_launch(request: HttpRequest) -> HttpResponse:
    """The editor over what stands in the launch form."""
    user = user_of(request)
    try:
        document = document_of_launch(typed_with_file(request))
    except InvalidInput as error:
        editor = first_editor(FIRST, user=user)
        editor.problems = error.problems
        return editor_page(request, editor, is_refused=True)
    return editor_page(request, first_editor(document, user=user))


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR)
def definition_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """What this person was typing, else the newest revision. Posted, it is saved as the next,
    unless it came too late.
    """
    user = user_of(request)
    definition = get_definition(user, slug)
    head = definition.head
    assert head is not None
    if request.method != "POST":
        return editor_page(request, opened(definition, user), definition=definition)
    editor = posted_editor(request)
    editor.kept_at = keep(definition, user, editor)
    if editor.document is None or editor.problems:
        return editor_page(request, editor, definition=definition, is_refused=True)
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
        return editor_page(request, editor, definition=definition, is_refused=True)
    except AlreadySo as error:
        late = Late(error.message, head.number, is_merged=True)
        return editor_page(request, editor, definition=definition, late=late, status=409)
    except Conflict as error:
        late = Late(error.message, int(error.state or head.number))
        return editor_page(request, editor, definition=definition, late=late, status=409)
    except DomainError as error:
        editor.problems = (Problem("definition", error.message),)
        return editor_page(request, editor, definition=definition, is_refused=True)
    drop_draft(definition, user=user)
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
    editor.kept_at = keep(definition, user, editor)
    return editor_page(request, editor, definition=definition, late=late)


def _rebase(editor: Editor, definition: Definition) -> Late | None:
    """Bring what is typed together with the newest revision; both changed: the newest stands."""
    head = definition.head
    if head is None or editor.document is None or not editor.base:
        return None
    try:
        base = get_revision(definition, editor.base)
    except NotFoundHere:
        words = f"There is no r{editor.base} that this could have begun from."
        return Late(words, head.number)
    merged = merge(json.loads(base.body), mine=editor.document, theirs=json.loads(head.body))
    editor.document = merged.body
    editor.base = head.number
    editor.mode = FORM if editor.mode == FORM else editor.mode
    if editor.mode != FORM:
        editor.source = json.dumps(merged.body, ensure_ascii=False, indent=2)
    words = f"Brought together with r{head.number}. Nothing is saved yet."
    return Late(words, head.number, merged.conflicts, is_merged=True)
