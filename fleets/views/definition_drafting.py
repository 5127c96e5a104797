"""The draft of a definition: begun with, kept with every look, forgotten."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from fleetdash import htmx
from fleets.access import get_definition, role_required, user_of
from fleets.domain.credentials import find_credentials
from fleets.domain.profile_body import body_text
from fleets.domain.raw_keys import unfit_places
from fleets.domain.status import Role
from fleets.models import Definition, DefinitionDraft, User
from fleets.selectors.definition_check import body_of
from fleets.selectors.definition_drafts import own_draft
from fleets.services.definition_drafts import Typed, drop_draft, keep_draft
from fleets.views.definition_editor import (
    FIRST,
    FORM,
    SOURCE,
    Editor,
    first_editor,
    read_source,
    settle,
)

NEW = "new"


def opened(definition: Definition | None, user: User) -> Editor:
    """What the editor begins with: the person's own draft, else the newest revision."""
    draft = own_draft(definition, user)
    if draft is not None:
        return _resumed(draft, user)
    head = definition.head if definition else None
    if head is None:
        return first_editor(FIRST, user=user)
    return first_editor(body_of(head), user=user, base=head.number)


def keep(definition: Definition | None, user: User, editor: Editor) -> datetime | None:
    """Keep what is typed; when it was kept. What holds a secret is not, nor what says no more than
    it started from.
    """
    if _has_secret(editor):
        return None
    if editor.document is not None and not editor.note:
        base = FIRST if definition is None else _base(definition, editor.base)
        if editor.document == base:
            drop_draft(definition, user=user)
            return None
    is_form = editor.mode == FORM
    # A source that reads as nothing is kept as it was written.
    text = editor.source if not is_form else body_text(editor.document or {})
    typed = Typed(text, editor.syntax, editor.base or 0, is_form=is_form, note=editor.note)
    return keep_draft(definition, user=user, typed=typed).updated_at


@require_POST
@role_required(Role.OPERATOR)
def definition_discard(request: HttpRequest, slug: str) -> HttpResponse:
    """Forget what this person was typing; `new` is the definition that is not there yet."""
    user = user_of(request)
    definition = None if slug == NEW else get_definition(user, slug)
    if drop_draft(definition, user=user):
        messages.success(request, "Your unsaved changes are gone.")
    there = reverse("fleets:definition_detail", args=[slug]) if definition else ""
    return htmx.redirect(request, there or reverse("fleets:definition_list"))


def _resumed(draft: DefinitionDraft, user: User) -> Editor:
    base = draft.base.number if draft.base else None
    editor = Editor(mode=FORM, document=None, base=base, note=draft.note, syntax=draft.syntax)
    read_source(editor, draft.text)
    if not draft.is_form or editor.document is None:
        editor.mode, editor.source = SOURCE, draft.text
    settle(editor, user)
    editor.resumed_at = draft.updated_at
    return editor


def _base(definition: Definition, number: int | None) -> object:
    found = definition.revisions.filter(number=number or 0).first()
    return body_of(found) if found else None


def _has_secret(editor: Editor) -> bool:
    """Whether a credential stands in it: by its form, or under the name of a key."""
    if find_credentials(editor.source) or find_credentials(editor.note):
        return True
    return next(unfit_places(editor.document), None) is not None
