"""Batches: streamed, gathered, joined by their key, and never called done without a summary."""

import json
from typing import Any

import httpx
import pytest

from fleets.platform_api import operations as op
from fleets.platform_api.answers.batches import BatchRead
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import (
    ConnectFailed,
    PlatformSurprise,
    ServerFault,
    WrongState,
)
from fleets.platform_api.resources.batches import BatchBackend, BatchTask
from tests.unit.platform_api.wire import answer, events, wire

TASKS = [BatchTask("t1", "one"), BatchTask("t2", "two")]
BACKENDS = [BatchBackend("b1", "opencode")]


def frame(number: int, kind: str, **data: Any) -> str:
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(data)}"


STARTED = frame(1, "batch.started", batchId="batch-1", total=2)
FIRST = frame(2, "task.completed", taskId="t1", backendId="b1", response="hi", retries=0)
SECOND = frame(3, "task.failed", taskId="t2", backendId="b1", error="no", errorCode="OOM")
ENDED = frame(
    4,
    "batch.completed",
    totalSuccess=1,
    totalFailure=1,
    results=[{"taskId": "t1", "backendId": "b1"}, {"taskId": "t2", "backendId": "b1"}],
)


async def read(client: PlatformClient) -> BatchRead:
    return await client.batches.run_to_end(TASKS, backends=BACKENDS, idempotency_key="row-1")


def test_a_batch_to_its_end() -> None:
    found = wire(events(STARTED, FIRST, SECOND, ENDED)).run(read)
    assert (found.batch_id, found.total, found.last_id) == ("batch-1", 2, "4")
    assert found.summary is not None
    assert (found.summary.total_success, found.summary.total_failure) == (1, 1)
    # What the frames said is kept over the summary's shorter rows.
    assert [(item.task_id, item.ok, item.error_code) for item in found.items] == [
        ("t1", True, None),
        ("t2", False, "OOM"),
    ]
    assert found.items[0].response == "hi"


def test_frames_that_come_twice_count_once() -> None:
    found = wire(events(STARTED, FIRST, FIRST, SECOND, SECOND, ENDED)).run(read)
    assert len(found.items) == 2


def test_a_stream_that_ends_early_has_no_summary() -> None:
    found = wire(events(STARTED, FIRST)).run(read)
    assert found.summary is None
    assert [item.task_id for item in found.items] == ["t1"]


class Broken(httpx.AsyncByteStream):
    """A stream that breaks after its first frame."""

    async def __aiter__(self) -> Any:
        yield f"{STARTED}\n\n".encode()
        raise httpx.ReadError("broke")


def test_a_stream_that_breaks_is_a_read_without_summary_and_the_key_joins_it_again() -> None:
    broken = httpx.Response(200, stream=Broken(), headers={"content-type": "text/event-stream"})
    line = wire(broken, events(STARTED, FIRST, SECOND, ENDED))
    first = line.run(read)
    assert (first.summary, first.batch_id) == (None, "batch-1")
    again = line.run(read)
    assert again.summary is not None
    keys = [request.headers["idempotency-key"] for request in line.requests]
    assert keys == ["row-1", "row-1"]
    assert line.requests[0].content == line.requests[1].content


def test_a_batch_is_never_sent_again_by_the_client_itself() -> None:
    line = wire(answer(502))
    with pytest.raises(ServerFault):
        line.run(read)
    assert len(line.requests) == 1
    line = wire(ConnectFailed("broke", sent=None))
    with pytest.raises(ConnectFailed):
        line.run(read)
    assert len(line.requests) == 1


def test_a_key_with_another_body_is_refused() -> None:
    with pytest.raises(WrongState):
        wire(answer(409, {"error": "another body", "code": "INVALID_STATE"})).run(read)


def test_a_bad_frame_names_its_field_and_operation() -> None:
    bad = frame(2, "task.completed", backendId="b1")
    with pytest.raises(PlatformSurprise, match=r"task\.completed\.taskId") as caught:
        wire(events(STARTED, bad)).run(read)
    assert caught.value.operation == op.BATCH_RUN.name


def test_an_error_frame_is_told() -> None:
    found = wire(events(STARTED, frame(2, "error", message="no machines"))).run(read)
    assert (found.error, found.summary) == ("no machines", None)


def test_a_cancel_of_what_is_gone_is_no_error() -> None:
    assert wire(answer(200, {})).run(lambda c: c.batches.cancel("batch-1")) is True
    assert wire(answer(404)).run(lambda c: c.batches.cancel("batch-1")) is False
