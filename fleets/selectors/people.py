"""People by the names they sign in with."""

from fleets.domain.errors import InvalidInput
from fleets.models import User


def person_named(name: str, *, place: str) -> User:
    """The person of that name, small or capital. Raises InvalidInput at `place`. One query."""
    found = User.objects.filter(username__iexact=name.strip(), is_active=True).first()
    if found is None:
        raise InvalidInput.at(place, f"There is nobody named {name.strip()[:40] or '…'} here.")
    return found
