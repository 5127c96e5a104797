"""What a request of the editor says: the text with what the form changed, and how it is shown."""

from dataclasses import dataclass, replace
from typing import Final

from django.http import HttpRequest

from fleets.domain.number_input import parse_whole
from fleets.domain.profile_document import (
    Document,
    Syntax,
    in_syntax,
    read_document,
    with_form,
    write_document,
)
from fleets.domain.profile_form import fields_of
from fleets.domain.profile_repair import repaired
from fleets.models import Profile, ProfileDraft, User
from fleets.selectors.profile_editor import body_of, own_draft
from fleets.services.profile_drafts import Typed
from fleets.services.profiles import LONGEST_NOTE

FORM: Final = "form"
SOURCE: Final = "source"
# Above this, a form would have more fields than a request may carry.
MOST_FIELDS: Final = 600


@dataclass(frozen=True, slots=True)
class Edited:
    """A text under way. `base` 0: a new profile. `is_resumed`: it was kept from an earlier time.

    `said` is a sentence about what was asked and could not be done.
    """

    document: Document
    view: str = FORM
    base: int = 0
    note: str = ""
    catalog: str = ""
    slug: str = ""
    is_resumed: bool = False
    said: str = ""

    @property
    def typed(self) -> Typed:
        """As it is kept."""
        document = self.document
        return Typed(document.text, document.syntax, self.base, self.note, self.catalog)

    @property
    def shows_form(self) -> bool:
        """Whether the form is shown: a text that cannot be read has only its source."""
        return self.view == FORM and can_be_form(self.document)


def can_be_form(document: Document) -> bool:
    """Whether there is an object whose fields a form can show."""
    return isinstance(document.body, dict) and len(fields_of(document.body)) <= MOST_FIELDS


def opened(request: HttpRequest, profile: Profile | None, user: User) -> Edited:
    """What the editor begins with: the person's own draft, else the newest revision."""
    draft = own_draft(profile, user)
    view = SOURCE if request.GET.get("view") == SOURCE else FORM
    if draft is not None:
        return _resumed(draft, view)
    if profile is None:
        document = write_document({}, Syntax.JSON)
        return Edited(document, view, catalog=request.GET.get("catalog", ""))
    document = write_document(body_of(profile, profile.newest), Syntax.JSON)
    return Edited(document, view, base=profile.newest)


def _resumed(draft: ProfileDraft, view: str) -> Edited:
    return Edited(
        document=read_document(draft.text, Syntax(draft.syntax)),
        view=view,
        base=draft.base.number if draft.base else 0,
        note=draft.note,
        catalog=draft.catalog.slug if draft.catalog else "",
        is_resumed=True,
    )


def sent(request: HttpRequest) -> Edited:
    """What was posted, the changed fields of the form merged into the text."""
    data = request.POST
    syntax = Syntax.YAML if data.get("syntax") == Syntax.YAML else Syntax.JSON
    view = FORM if data.get("view") == FORM else SOURCE
    document = read_document(data.get("text", ""), syntax)
    if view == FORM:
        document = with_form(document, {name: str(value) for name, value in data.items()})
    return Edited(
        document=document,
        view=view,
        base=parse_whole(data.get("base", "")) or 0,
        note=data.get("note", "").strip()[:LONGEST_NOTE],
        catalog=data.get("catalog", ""),
        slug=data.get("slug", "").strip(),
    )


def turned(edited: Edited, act: str, fix: str) -> Edited:
    """The text as it is asked for now: as form or source, in which syntax, with a repair."""
    document = edited.document
    is_number = fix.isascii() and fix.isdigit() and len(fix) < 10
    if is_number and int(fix) < len(document.problems):
        body = repaired(document.body, document.problems[int(fix)][1])
        return replace(edited, document=write_document(body, document.syntax))
    if act in (Syntax.JSON, Syntax.YAML):
        other = in_syntax(document, Syntax(act))
        said = ""
        if other.syntax != act:
            said = f"It stays {document.syntax.upper()}: first repair what is wrong with it."
            if document.is_sound:
                said = "It stays JSON: as YAML it would be too long, or not the same."
        return replace(edited, document=other, view=SOURCE, said=said)
    if act == FORM and not can_be_form(document):
        said = "There is no form for it yet: first repair what is wrong with the source."
        return replace(edited, view=SOURCE, said=said)
    return replace(edited, view=act) if act in (FORM, SOURCE) else edited
