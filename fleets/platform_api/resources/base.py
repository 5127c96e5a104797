"""What every resource holds: addresses, a key and the transport."""

from collections.abc import Mapping
from typing import Any

from fleets.platform_api.operations import Operation
from fleets.platform_api.reply import Reply
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import Call, Transport
from fleets.platform_api.types import BaseUrls


class Resource:
    """What every group of calls has: where, signed with which key, over what."""

    def __init__(self, urls: BaseUrls, key: Secret, transport: Transport) -> None:
        self._urls = urls
        self._key = key
        self._transport = transport

    def _call(
        self,
        operation: Operation,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        last_event_id: str | None = None,
        conditions: Mapping[str, str] | None = None,
        answer_s: float | None = None,
    ) -> Call:
        return Call(
            operation=operation,
            base_url=self._urls.id if operation.base == "id" else self._urls.sandbox,
            key=self._key,
            path=path or {},
            query=query or {},
            body=body,
            idempotency_key=idempotency_key,
            last_event_id=last_event_id,
            conditions=conditions or {},
            answer_s=answer_s,
        )

    async def _send(
        self,
        operation: Operation,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        conditions: Mapping[str, str] | None = None,
        answer_s: float | None = None,
    ) -> Reply:
        return await self._transport.send(
            self._call(
                operation,
                path=path,
                query=query,
                body=body,
                idempotency_key=idempotency_key,
                conditions=conditions,
                answer_s=answer_s,
            )
        )
