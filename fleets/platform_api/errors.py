"""What can go wrong with a call: a tree with two leaves that matter, try again or don't.

Every error carries what an operator needs to read. No error holds a secret: messages and bodies
pass through `redaction` before they come here.
"""

from typing import TypedDict, Unpack


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


def with_sent(facts: CallFacts, *, sent: bool | None) -> CallFacts:
    """The same facts, and whether the request left; None when nobody can know."""
    known = CallFacts(**facts)
    known["sent"] = sent
    return known


class PlatformError(Exception):
    """A call to the platform that did not end as asked.

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
    """Try again, within a total time; an unkeyed paid call is read again first."""

    @property
    def outcome_unknown(self) -> bool:
        return self.sent is not False


class ConnectFailed(PlatformUnavailable):
    """No connection, or it broke: `sent` is False only when it was never made."""


class TimedOut(PlatformUnavailable):
    """No answer in time; `sent` is False only when no connection was had in that time."""


class RateLimited(PlatformUnavailable):
    """The plan's requests per minute are used up; nothing was done."""

    @property
    def outcome_unknown(self) -> bool:
        return False


class ServerFault(PlatformUnavailable):
    """A 5xx that the operation's row calls temporary; it may have happened."""


class PlatformRefused(PlatformError):
    """Do not try again: the same request would be refused again."""


class BadRequest(PlatformRefused):
    """The platform does not accept this request."""


class Unauthenticated(PlatformRefused):
    """The key is unknown, expired or revoked."""


class Forbidden(PlatformRefused):
    """The key may not do this."""


class NotFound(PlatformRefused):
    """There is no such thing (any more)."""


class WrongState(PlatformRefused):
    """The thing is not in a state that allows this."""


class QuotaExceeded(PlatformRefused):
    """A plan's limit other than the request rate."""


class BudgetExhausted(PlatformRefused):
    """The key's remaining budget does not cover the worst case of what was asked."""


class PlatformSurprise(PlatformError):
    """An answer that is not as agreed; `body` is its redacted, shortened text."""

    def __init__(self, message: str, *, body: str = "", **facts: Unpack[CallFacts]) -> None:
        super().__init__(message, **facts)
        self.body = body

    @property
    def outcome_unknown(self) -> bool:
        # The platform took the request; what it made of it cannot be read from the answer.
        return self.sent is not False
