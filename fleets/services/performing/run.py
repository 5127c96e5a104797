"""Takes an operation, works on it once, and gives it back or ends it."""

from collections.abc import Callable
from typing import Final

import structlog
from django.utils import timezone

from fleets.domain.status import OperationKind, OperationState
from fleets.models import Operation
from fleets.platform_api.errors import PlatformError, PlatformRefused, PlatformUnavailable
from fleets.services import operations
from fleets.services.performing.cancel import cancel
from fleets.services.performing.cut_off import cut_off, reopen
from fleets.services.performing.delete import delete
from fleets.services.performing.launch import launch
from fleets.services.performing.stop_machines import stop_machines
from fleets.services.performing.verdict import Again, Ended, Verdict, backoff_s

log = structlog.get_logger(__name__)

WORK: Final[dict[str, Callable[[Operation], Verdict]]] = {
    OperationKind.LAUNCH: launch,
    OperationKind.CUT_OFF: cut_off,
    OperationKind.REOPEN: reopen,
    OperationKind.CANCEL: cancel,
    OperationKind.DELETE: delete,
    OperationKind.STOP_MACHINES: stop_machines,
}


def perform_operation(public_id: str, *, owner: str) -> bool:
    """Work once on an operation that is due and free. True when it was worked on."""
    operation = operations.claim(public_id, owner=owner, now=timezone.now())
    if operation is None:
        return False
    structlog.contextvars.bind_contextvars(operation=public_id, fleet=operation.fleet.public_id)
    verdict = _work(operation)
    if isinstance(verdict, Again):
        operations.postpone(operation, owner=owner, after_s=verdict.after_s)
    else:
        operations.end(
            operation, state=verdict.state, sentence=verdict.sentence, result=verdict.result or None
        )
    return True


def _work(operation: Operation) -> Verdict:
    try:
        return WORK[operation.kind](operation)
    except PlatformUnavailable as error:
        log.warning("platform_unavailable", error=str(error))
        Operation.objects.filter(pk=operation.pk).update(
            sentence=f"The platform does not answer ({error.message}); trying again."[:400]
        )
        return Again(backoff_s(operation.attempts))
    except PlatformRefused as error:
        return Ended(OperationState.FAILED, f"The platform refused: {error.message}")
    except PlatformError as error:
        return Ended(OperationState.FAILED, f"The platform's answer was not understood: {error}")
