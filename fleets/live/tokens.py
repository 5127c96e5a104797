"""The seal on a stream's address: which topics, whose session, with which rights."""

from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac

from fleets.live.publish import position
from fleets.models import User

_SALT = "fleets.live.stream"
# A page may lie open for a day; a stream is cut after half an hour and comes back with this seal.
_MAX_AGE_S = 26 * 3600

STREAM_PATH = "/live/stream"


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a page may listen to. `page` names the renderers, `topics` what they hear; `cursor` says
    how far a page that is appended to was shown when it was made.
    """

    page: str
    topics: tuple[str, ...]
    user_id: int
    rights_number: int
    session: str
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class LivePage:
    """Context of a live page: the address for `includes/_live.html`."""

    url: str


def live_page(
    request: HttpRequest, *, page: str, topics: list[str], since: str, cursor: str = ""
) -> LivePage:
    """The stream of a page. `since` is `position()` as it was before the page's data was read."""
    user = request.user
    if not isinstance(user, User):
        raise TypeError("Only people who are signed in have live pages.")
    ticket = Ticket(
        page=page,
        topics=tuple(topics),
        user_id=user.pk,
        rights_number=user.rights_number,
        session=session_mark(request.session.session_key or ""),
        cursor=cursor,
    )
    query = urlencode({"since": since, "ticket": seal(ticket)})
    return LivePage(url=f"{STREAM_PATH}?{query}")


def seal(ticket: Ticket) -> str:
    """The signed form of a ticket."""
    return signing.dumps(asdict(ticket), salt=_SALT, compress=True)


def unseal(text: str) -> Ticket | None:
    """The ticket, or None when the seal is broken or too old."""
    try:
        fields: dict[str, Any] = signing.loads(text, salt=_SALT, max_age=_MAX_AGE_S)
        return Ticket(**{**fields, "topics": tuple(fields["topics"])})
    except (signing.BadSignature, KeyError, TypeError):
        return None


def session_mark(session_key: str) -> str:
    """A mark of a session that does not give its key away."""
    return salted_hmac(_SALT, session_key).hexdigest()[:24]


def fits_session(ticket: Ticket, session_key: str) -> bool:
    """Whether the ticket was written for this session."""
    return constant_time_compare(ticket.session, session_mark(session_key))


__all__ = ["LivePage", "Ticket", "fits_session", "live_page", "position", "seal", "unseal"]
