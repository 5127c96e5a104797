"""What people are typing, kept while they type: it survives a closed tab and a late save."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from django.db import transaction
from django.utils import timezone

from fleets.models import Draft

LONGEST_NOTE: Final = 300
_Kept = TypeVar("_Kept", bound=Draft)


@transaction.atomic
def keep(
    model: type[_Kept],
    *,
    of: Mapping[str, Any],
    text: str,
    syntax: str,
    note: str,
    **more: Any,
) -> _Kept:
    """Keep a text for this person, in place of what was kept before. `of`: the person, and what the
    text is of. The caller has seen that no secret is in it.
    """
    now = timezone.now()
    # What cannot be stored is kept as the sign that says so; the editor shows it in its line.
    text, note = (one.replace("\0", "\ufffd") for one in (text, note[:LONGEST_NOTE]))
    values = {"text": text, "syntax": syntax, "note": note, "updated_at": now, **more}
    draft, _ = model._default_manager.update_or_create(
        **of, defaults=values, create_defaults={**values, "began_at": now}
    )
    return draft


def drop(model: type[Draft], *, of: Mapping[str, Any]) -> bool:
    """Forget what was kept; whether there was anything."""
    count, _ = model._default_manager.filter(**of).delete()
    return bool(count)
