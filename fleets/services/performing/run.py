"""Takes an operation, works on it once, and gives it back or ends it."""

from collections.abc import Callable
from typing import Final

import structlog
from django.utils import timezone

from fleets.domain.status import OperationKind, OperationState
from fleets.models import Operation
from fleets.platform_api.errors import (
    PlatformError,
    PlatformRefused,
    PlatformUnavailable,
    RateLimited,
)
from fleets.services import operations
from fleets.services.driving.lease import LeaseLost
from fleets.services.performing.cancel import cancel
from fleets.services.performing.cut_off import cut_off, reopen
from fleets.services.performing.delete import delete
from fleets.services.performing.interrupt import interrupt
from fleets.services.performing.launch import launch
from fleets.services.performing.stop_machines import stop_machines
from fleets.services.performing.verdict import SURPRISES, Again, Ended, Verdict, backoff_s

log = structlog.get_logger(__name__)

LONGEST_PAUSE_S: Final = 15
LONGEST_REPAIR_S: Final = 60

WORK: Final[dict[str, Callable[[Operation], Verdict]]] = {
    OperationKind.LAUNCH: launch,
    OperationKind.CUT_OFF: cut_off,
    OperationKind.REOPEN: reopen,
    OperationKind.CANCEL: cancel,
    OperationKind.DELETE: delete,
    OperationKind.STOP_MACHINES: stop_machines,
    OperationKind.INTERRUPT: interrupt,
}


def perform_operation(public_id: str, *, owner: str) -> bool:
    """Work once on an operation that is due and free. True when it was worked on."""
    operation = operations.claim(public_id, owner=owner, now=timezone.now())
    if operation is None:
        return False
    structlog.contextvars.bind_contextvars(operation=public_id, fleet=operation.fleet.public_id)
    try:
        verdict = _work(operation)
    except LeaseLost:
        log.warning("lease_lost")
        return True
    if isinstance(verdict, Again):
        failures = operation.failures + 1 if verdict.is_failure else 0
        operations.postpone(operation, owner=owner, after_s=verdict.after_s, failures=failures)
    else:
        operations.end(
            operation, state=verdict.state, sentence=verdict.sentence, result=verdict.result or None
        )
    return True


def _work(operation: Operation) -> Verdict:
    try:
        return WORK[operation.kind](operation)
    except RateLimited as error:
        # The plan's pace is the rate budget's to keep; there is nothing for an operator to do.
        return Again(min(error.retry_after_s or 1.0, LONGEST_PAUSE_S))
    except PlatformUnavailable as error:
        log.warning("platform_unavailable", error=str(error))
        return _fail(operation, f"The platform does not answer ({error.message}); trying again.")
    except PlatformRefused as error:
        return Ended(OperationState.FAILED, f"The platform refused: {error.message}")
    except PlatformError as error:
        return _surprised(operation, error)
    except LeaseLost:
        raise
    except Exception as error:
        # An error of our own: slower and slower, so that it harms nobody, and never given up.
        log.exception("operation_broke")
        words = f"Fleetdash met an error of its own ({type(error).__name__}); trying again."
        return _fail(operation, words, longest_s=LONGEST_REPAIR_S)


def _surprised(operation: Operation, error: PlatformError) -> Verdict:
    """An answer that was not understood may be a proxy's; the same one again is the platform's."""
    words = f"The platform's answer was not understood: {error}"
    if operation.failures < SURPRISES:
        return _fail(operation, words)
    return Ended(OperationState.FAILED, words)


def _fail(operation: Operation, words: str, *, longest_s: int = LONGEST_PAUSE_S) -> Again:
    Operation.objects.filter(pk=operation.pk).update(sentence=words[:400])
    return Again(backoff_s(operation.failures + 1, longest_s=longest_s), is_failure=True)
