"""Who acts, and through which door."""

from dataclasses import dataclass
from typing import cast

from django.http import HttpRequest

from fleets.domain.errors import NotAllowed
from fleets.models import User


@dataclass(frozen=True, slots=True)
class Actor:
    """A person at a door (browser, command) or, with `user=None`, the system itself."""

    user: User | None
    door: str
    request_id: str = ""

    @classmethod
    def of(cls, request: HttpRequest) -> "Actor":
        """The person behind a browser request."""
        request_id = str(request.META.get("FLEETDASH_REQUEST_ID", ""))
        return cls(user=cast("User", request.user), door="browser", request_id=request_id)

    @property
    def name(self) -> str:
        """How lines for people call the actor."""
        return self.user.get_username() if self.user else "Fleetdash"

    def must_be_operator(self, act: str) -> None:
        """Raise `NotAllowed` unless the actor may launch and stop; the system always may."""
        if self.user is not None and not self.user.is_operator:
            raise NotAllowed(
                f"{self.name} may not {act}: this needs the role operator.",
                who_can="an operator or an admin",
            )


SYSTEM = Actor(user=None, door="system")
