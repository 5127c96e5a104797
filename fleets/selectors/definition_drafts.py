"""What a person was typing at a definition, and who else is at it."""

from collections.abc import Sequence
from datetime import datetime

from fleets.models import Definition, DefinitionDraft, User
from fleets.selectors.editing import Editing, editing


def own_draft(definition: Definition | None, user: User) -> DefinitionDraft | None:
    """What this person was typing, at a new one where there is none. One query."""
    found = DefinitionDraft.objects.filter(definition=definition, user_id=user.pk)
    return found.select_related("base").first()


def also_editing(definition: Definition | None, user: User, *, now: datetime) -> Sequence[Editing]:
    """Others with unsaved changes. One query, none for a new one."""
    if definition is None:
        return ()
    return editing(DefinitionDraft.objects.filter(definition=definition), user, now=now)
