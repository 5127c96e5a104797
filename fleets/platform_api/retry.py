"""Which failed call the client sends again by itself, and for how long; stamina waits."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

import stamina

from fleets.platform_api.errors import PlatformError, PlatformUnavailable
from fleets.platform_api.operations import Operation, Repeat


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Few attempts within a total time: what takes longer is the caller's row to wait on."""

    attempts: int = 3
    total_s: float = 15.0
    first_wait_s: float = 0.2
    longest_wait_s: float = 2.0
    longest_retry_after_s: float = 5.0

    def within(self, patience_s: float | None) -> "RetryPolicy":
        """The same for whoever waits no longer than `patience_s`; None changes nothing."""
        if patience_s is None or patience_s >= self.total_s:
            return self
        return replace(self, total_s=patience_s)


def may_repeat(operation: Operation, error: BaseException, *, keyed: bool) -> bool:
    """Whether the same request may be sent again without anything being read first."""
    if not isinstance(error, PlatformUnavailable):
        return False
    if operation.repeat is Repeat.ALWAYS or (operation.repeat is Repeat.IF_KEYED and keyed):
        return True
    return not error.outcome_unknown


def attempts(
    policy: RetryPolicy, operation: Operation, *, keyed: bool
) -> AsyncIterator[stamina.Attempt]:
    """The attempts of one call; use each as a context manager around the request."""
    return stamina.retry_context(
        on=_backoff(policy, operation, keyed=keyed),
        attempts=policy.attempts,
        timeout=policy.total_s,
        wait_initial=policy.first_wait_s,
        wait_max=policy.longest_wait_s,
        wait_jitter=policy.first_wait_s,
    ).__aiter__()


def _backoff(
    policy: RetryPolicy, operation: Operation, *, keyed: bool
) -> Callable[[Exception], bool | float]:
    def decide(error: Exception) -> bool | float:
        if not may_repeat(operation, error, keyed=keyed):
            return False
        wait_s = error.retry_after_s if isinstance(error, PlatformError) else None
        if wait_s is None:
            return True
        # A long wait is the rate budget's to keep, not a held connection's.
        return wait_s if wait_s <= policy.longest_retry_after_s else False

    return decide
