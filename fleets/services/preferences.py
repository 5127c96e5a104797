"""What a person sets for themselves: zone, theme, shortcuts."""

from django.db import transaction

from fleets.models import User
from fleets.services import audit
from fleets.services.actor import Actor


@transaction.atomic
def set_preferences(
    user: User,
    *,
    actor: Actor,
    time_zone: str | None = None,
    theme: str | None = None,
    shortcuts: bool | None = None,
) -> None:
    """Store what is not None. An audit row is written only when something changed."""
    wanted = {"time_zone": time_zone, "theme": theme, "shortcuts": shortcuts}
    # The row is read again under its lock: `user` may be the request's, with edits of a form on it.
    stored = User.objects.select_for_update(of=("self",)).get(pk=user.pk)
    after = {
        name: value
        for name, value in wanted.items()
        if value is not None and value != getattr(stored, name)
    }
    if not after:
        return
    before = {name: getattr(stored, name) for name in after}
    for name, value in after.items():
        setattr(stored, name, value)
        setattr(user, name, value)
    stored.full_clean(exclude=["password"])
    stored.save(update_fields=list(after))
    audit.record(
        "preferences",
        actor=actor,
        object_type="user",
        object_id=str(user.pk),
        before=before,
        after=after,
    )
