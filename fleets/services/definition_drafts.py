"""What people are typing at definitions."""

from dataclasses import dataclass

from fleets.models import Definition, DefinitionDraft, DefinitionRevision, User
from fleets.services import drafts


@dataclass(frozen=True, slots=True)
class Typed:
    """A document under way. `base` is the revision it was started from, 0 for none."""

    text: str
    syntax: str
    base: int
    is_form: bool
    note: str = ""


def keep_draft(definition: Definition | None, *, user: User, typed: Typed) -> DefinitionDraft:
    """Keep it for this person, in place of what was kept before. `definition` None: a new one.

    The caller has seen that no secret is in it.
    """
    base = None
    if definition is not None and typed.base:
        found = DefinitionRevision.objects.filter(definition=definition, number=typed.base)
        base = found.first()
    return drafts.keep(
        DefinitionDraft,
        of={"definition": definition, "user": user},
        text=typed.text,
        syntax=typed.syntax,
        note=typed.note,
        is_form=typed.is_form,
        base=base,
    )


def drop_draft(definition: Definition | None, *, user: User) -> bool:
    """Forget what this person was typing; whether there was anything."""
    return drafts.drop(DefinitionDraft, of={"definition": definition, "user": user})
