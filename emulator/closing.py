"""How a turn's stream ends, and the figures that go with it (contract 3.5)."""

from typing import Any

from emulator.entities import Execution
from emulator.frames import Frame, effective_backend, status
from emulator.money import Usd

JsonObject = dict[str, Any]


def token_usage(execution: Execution) -> JsonObject:
    """Input includes what was read from the cache, output includes reasoning."""
    inputs = execution.fresh_tokens + execution.cached_tokens
    return {
        "inputTokens": inputs,
        "outputTokens": execution.output_tokens,
        "totalTokens": inputs + execution.output_tokens,
        "reasoningTokens": execution.reasoning_tokens,
        "cacheReadInputTokens": execution.cached_tokens,
        "cacheCreationInputTokens": 0,
    }


def closing(execution: Execution, *, outcome: str) -> list[Frame]:
    """`completed`, `complete`, `result`, `done` in this order; without `result` on failure."""
    done = {
        "requestId": execution.request_id,
        "outcome": {"type": outcome},
        "effectiveBackend": effective_backend(execution),
        "tokenUsage": token_usage(execution),
    }
    if outcome == "failed":
        return [("done", done)]
    words = ("cancelled",) if outcome == "cancelled" else ("completed", "complete")
    result = result_body(execution, outcome=outcome)
    return [*(status(word) for word in words), ("result", result), ("done", done)]


def result_body(execution: Execution, *, outcome: str) -> JsonObject:
    """The data of a `result` frame, and the blocking run's answer."""
    ended_ms = execution.ended_ms or execution.started_ms
    return {
        "executionId": execution.id,
        "outcome": {"type": outcome},
        "finalText": execution.said,
        "toolInvocations": execution.tools,
        "metadata": {
            "sessionId": execution.session_id,
            "domains": [],
            "agentIdentifier": "default",
            "backendType": execution.harness,
        },
        "tokenUsage": token_usage(execution),
        "timing": {
            "startedAt": execution.started_ms,
            "completedAt": ended_ms,
            "durationMs": ended_ms - execution.started_ms,
        },
        "effectiveBackend": effective_backend(execution),
        "totalCostUsd": Usd(execution.cost_nusd),
    }


def error(execution: Execution) -> Frame:
    body: JsonObject = {"message": execution.error, "errorCode": execution.error_code}
    if execution.error_code == "budget_exceeded":
        body["details"] = {"status": 402, "type": "insufficient_funds"}
    return ("error", body)
