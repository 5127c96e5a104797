"""The shapes of the public March 2026 SDK and the newer documented ones: both are read.

Sandboxes: contract 2.2 and 2.3, "old". Batch: contract 7, "old".
"""

from decimal import Decimal
from typing import Any

import pytest

from fleets.platform_api.answers.batches import BatchItem, parse_event, parse_summary
from fleets.platform_api.resources.sandboxes import parse_sandbox, parse_sandboxes
from fleets.platform_api.sse import StreamEvent
from fleets.platform_api.types import SandboxRow, TokenUsage

NEW_BOX = {
    "id": "sandbox-4b712b26c826",
    "name": "box",
    "status": "running",
    "createdAt": "2026-11-29T10:00:00Z",
    "environment": "universal",
    "resources": {"cpuCores": 2, "memoryMB": 4096, "diskGB": 20},
    "connection": {
        "runtimeUrl": "https://run",
        "authToken": "t0ken",
        "edgeStatus": "error",
        "edgeError": {"message": "no route"},
    },
    "region": "eu",
}
OLD_BOX = {
    "id": "sandbox-4b712b26c826",
    "name": "box",
    "status": "running",
    "createdAt": "2026-11-29T10:00:00Z",
    "image": "universal",
    "resources": {"cpu": 2, "memoryMb": 4096, "storageMb": 20_480},
    "connection": {"sidecarUrl": "https://run", "authToken": "t0ken"},
}


def essence(row: SandboxRow) -> tuple[Any, ...]:
    return (
        row.sandbox_id,
        row.status,
        row.environment,
        row.cpu_cores,
        row.memory_mb,
        row.disk_gb,
        row.runtime_url,
        row.created_at,
    )


def test_a_sandbox_in_old_and_new_words_is_the_same() -> None:
    new, old = parse_sandbox(NEW_BOX), parse_sandbox(OLD_BOX)
    assert essence(new) == essence(old)
    assert essence(new)[3:6] == (Decimal(2), 4096, 20)
    assert (new.region, new.edge_status, new.edge_error) == ("eu", "error", "no route")
    assert (old.region, old.edge_status, old.edge_error) == (None, None, None)
    assert "t0ken" not in repr(new.raw) + repr(old.raw)


@pytest.mark.parametrize("status", ["pending", "expired", "levitating"])
def test_a_status_is_kept_as_it_is_said(status: str) -> None:
    assert parse_sandbox({**NEW_BOX, "status": status}).status == status


@pytest.mark.parametrize("body", [{"sandboxes": [NEW_BOX]}, [NEW_BOX], {"data": [NEW_BOX]}])
def test_a_list_in_an_envelope_and_bare(body: Any) -> None:
    assert parse_sandboxes(body) == (parse_sandbox(NEW_BOX),)


def frame(kind: str, **data: Any) -> StreamEvent:
    return StreamEvent(id="1", type=kind, data=data, raw="")


def test_a_completed_task_in_old_and_new_words() -> None:
    old = parse_event(
        frame("task.completed", taskId="t1", durationMs=5, retries=1, tokensUsed=42)
    ).item
    new = parse_event(
        frame(
            "task.completed",
            taskId="t1",
            backendId="b1",
            response="done",
            durationMs=5,
            retries=1,
            tokenUsage={"inputTokens": 40, "totalTokens": 42},
            costUsd=Decimal("0.01"),
            traceId="tr",
        )
    ).item
    assert old == BatchItem(
        "t1", None, True, None, None, None, 5, 1, TokenUsage(total_tokens=42), None, None
    )
    assert new == BatchItem(
        "t1",
        "b1",
        True,
        "done",
        None,
        None,
        5,
        1,
        TokenUsage(input_tokens=40, total_tokens=42),
        Decimal("0.01"),
        "tr",
    )


@pytest.mark.parametrize(
    ("error", "code"), [("no", "OOM"), ({"message": "no", "code": "OOM"}, None)]
)
def test_a_failed_task_in_old_and_new_words(error: Any, code: str | None) -> None:
    item = parse_event(
        frame("task.failed", taskId="t1", error=error, errorCode=code, durationMs=5, retries=2)
    ).item
    assert item is not None
    assert (item.ok, item.error, item.error_code, item.retries) == (False, "no", "OOM", 2)


def test_a_summary_in_old_and_new_words() -> None:
    old = parse_summary(
        {
            "succeeded": 1,
            "failed": 1,
            "successRate": 50,
            "results": [{"taskId": "t1", "tokensUsed": 3}, {"taskId": "t2", "error": "no"}],
        }
    )
    new = parse_event(
        frame(
            "batch.completed",
            totalSuccess=1,
            totalFailure=1,
            costUsd=Decimal("0.02"),
            results=[
                {"taskId": "t1", "backendId": "b1", "status": "completed"},
                {"taskId": "t2", "backendId": "b1", "status": "failed"},
            ],
        )
    ).summary
    assert new is not None
    assert (
        (old.total_success, old.total_failure) == (new.total_success, new.total_failure) == (1, 1)
    )
    assert [item.ok for item in old.items] == [item.ok for item in new.items] == [True, False]
    assert (old.cost_usd, new.cost_usd) == (None, Decimal("0.02"))


def test_a_frame_of_unknown_words_is_kept_by_its_type() -> None:
    event = parse_event(frame("batch.rescaled", batchId="b", machines=4))
    assert (event.type, event.batch_id, event.item, event.summary) == (
        "batch.rescaled",
        "b",
        None,
        None,
    )
