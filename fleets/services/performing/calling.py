"""Calls the platform for an operation, its lease renewed while the calls last."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from django.utils import timezone

from fleets.gateway import ask_database, gateway
from fleets.models import Operation
from fleets.services import operations

T = TypeVar("T")
RENEW_S = 2.0


def call(operation: Operation, work: Coroutine[Any, Any, T]) -> T:
    """Run a round of calls to its end; nobody else takes the operation over meanwhile."""

    async def guarded() -> T:
        renewing = asyncio.create_task(_keep_lease(operation))
        try:
            return await work
        finally:
            renewing.cancel()

    return gateway().run(guarded())


async def _keep_lease(operation: Operation) -> None:
    owner = operation.lease_owner
    while True:
        await asyncio.sleep(RENEW_S)
        if not await ask_database(
            lambda: operations.renew(operation, owner=owner, now=timezone.now())
        ):
            return
