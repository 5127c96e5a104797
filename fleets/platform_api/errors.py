"""What can go wrong with a call: a tree with two leaves that matter, try again or don't.

Every error carries what an operator needs to read, and its class says what may be done next. No
error holds a secret: messages and bodies pass through `redaction` before they come here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict, Unpack


@dataclass(frozen=True, slots=True)
class Details:
    """What the body of a refusal says beside its message (contract 1.2); None where it does not.

    `fields` are the bad fields of a request by name. `quota_type`, `used` and `limit` tell which
    limit was met. `current_state` of a profile that has moved on is its newest revision.
    """

    current_state: str | None = None
    required_state: str | None = None
    quota_type: str | None = None
    used: str | None = None
    limit: str | None = None
    resource_type: str | None = None
    resource_id: str | None = None
    phase: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


class CallFacts(TypedDict, total=False):
    """What is known about the call that failed."""

    operation: str
    method: str
    path: str
    status: int | None
    code: str | None
    request_id: str | None
    attempt: int
    retry_after_s: float | None
    sent: bool | None
    details: Details


def with_sent(facts: CallFacts, *, sent: bool | None) -> CallFacts:
    """The same facts, and whether the request left; None when nobody can know."""
    known = CallFacts(**facts)
    known["sent"] = sent
    return known


class PlatformError(Exception):
    """A call to the platform that did not end as asked.

    What may be done is decided by the two classes below this one and by `outcome_unknown`: when
    that is true, the platform may have done what was asked, so read before acting again.

    `sent` is False when the request certainly never left, True when the platform answered, None
    when nobody knows.
    """

    def __init__(self, message: str, **facts: Unpack[CallFacts]) -> None:
        super().__init__(message)
        self.message = message
        self.operation = facts.get("operation", "")
        self.method = facts.get("method", "")
        self.path = facts.get("path", "")  # the template: ids stay out of logs and figures
        self.status = facts.get("status")
        self.code = facts.get("code")
        self.request_id = facts.get("request_id")
        self.attempt = facts.get("attempt", 1)
        self.retry_after_s = facts.get("retry_after_s")
        self.sent = facts.get("sent", True)
        self.details = facts.get("details", Details())

    @property
    def outcome_unknown(self) -> bool:
        """Whether the platform may have done what was asked all the same: read before acting."""
        return False

    def __str__(self) -> str:
        words = [self.operation and f"{self.operation}:", self.status, self.code, self.message]
        return " ".join(str(word) for word in words if word)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


class PlatformUnavailable(PlatformError):
    """Try again, with growing waits and within a total time.

    A read, a keyed or an idempotent call is repeated as it is, and the transport has done so
    already. Anything else is read again first when `outcome_unknown`.
    """

    @property
    def outcome_unknown(self) -> bool:
        return self.sent is not False


class ConnectFailed(PlatformUnavailable):
    """No connection, or it broke. `sent` is False only when it was never made: then repeat freely.

    Otherwise the request may have arrived: read again before a call without a key is repeated.
    """


class TimedOut(PlatformUnavailable):
    """No answer in time, or a 408; `sent` is False only when no connection was had in that time.

    Otherwise it may have happened (contract 11): a create is repeated with its own key, a turn
    with its own `turnId`, everything else after reading.
    """


class RateLimited(PlatformUnavailable):
    """The plan's requests per minute are used up; nothing was done.

    Wait `retry_after_s` (None: a second) and send the same again; the whole account waits, so the
    rate budget of all processes is drained for as long (contract 10 row 22).
    """

    @property
    def outcome_unknown(self) -> bool:
        return False


class ServerFault(PlatformUnavailable):
    """A 5xx that the operation's row calls temporary, or a 425; it may have happened.

    Which statuses these are stands in `operations` (contract 1.3). Repeat as for TimedOut.
    """


class PlatformRefused(PlatformError):
    """Do not try again: the same request would be refused again. Nothing was done."""


class BadRequest(PlatformRefused):
    """The platform does not accept this request; `details.fields` may name what is wrong.

    Change the request. An unknown field here means that the wire has changed: tell, don't retry.
    """


class Unauthenticated(PlatformRefused):
    """The key is unknown, expired or revoked.

    Nothing signed with this key will work again: ask for another key. A fleet whose key this is
    has been ended by someone.
    """


class Forbidden(PlatformRefused):
    """The key may not do this: it is for another product, or for another fleet (10 row 31).

    Use the key that the operation asks for; the message names both products where it is that.
    """


class NotFound(PlatformRefused):
    """There is no such thing (any more).

    After a delete this is the proof that it is gone. Resources turn it into None where a miss is
    an ordinary answer (a result, a turn, a subscription).
    """


class WrongState(PlatformRefused):
    """The thing is not in a state that allows this; `details` may tell both states.

    Read it again and decide anew. For an idempotency key: it was used with another body, and a new
    body needs a new key. For a profile: it has moved on, and `details.current_state` is its head.
    """


class QuotaExceeded(PlatformRefused):
    """A plan's limit other than the request rate: machines, sessions, credit.

    Waiting does not help; end something or raise the plan. `details` tells which, used and limit.
    """


class BudgetExhausted(PlatformRefused):
    """The key's remaining budget does not cover the worst case of what was asked (402).

    Nothing more of this key will pass unless its budget is raised; what runs settles.
    """


class PlatformSurprise(PlatformError):
    """An answer that is not as agreed; `body` is its redacted, shortened text.

    Not repeated: the platform took the request, and what it made of it cannot be read from the
    answer. Read again; show the body to an operator. A 5xx that no row calls temporary is one.
    """

    def __init__(self, message: str, *, body: str = "", **facts: Unpack[CallFacts]) -> None:
        super().__init__(message, **facts)
        self.body = body

    @property
    def outcome_unknown(self) -> bool:
        # The platform took the request; what it made of it cannot be read from the answer.
        return self.sent is not False
