"""A session as messages: what was asked and what the agent said and did (contract 3.4)."""

from typing import Any

from emulator.calls import Answer, Call
from emulator.entities import Execution
from emulator.resources.sessions import find_session
from emulator.strict import read_page

JsonObject = dict[str, Any]


def list_messages(call: Call) -> Answer:
    """The latest `limit` messages, oldest first."""
    session = find_session(call)
    limit, _offset = read_page(call.query)
    messages: list[JsonObject] = []
    for found in session.execution_ids:
        execution = call.world.executions[found]
        messages += [_asked(execution), _answered(execution)]
    return Answer({"data": {"messages": messages[-limit:] if limit else []}})


def _asked(execution: Execution) -> JsonObject:
    parts = [{"type": "text", "text": execution.prompt}]
    return {"role": "user", "parts": parts, "metadata": _metadata(execution)}


def _answered(execution: Execution) -> JsonObject:
    parts: list[JsonObject] = []
    if execution.thought:
        parts.append({"type": "reasoning", "text": execution.thought})
    for tool in execution.tools:
        state = {"status": "completed", "input": tool["arguments"], "output": tool["result"]}
        parts.append({"type": "tool", "tool": tool["toolName"], "state": state})
    if execution.said:
        parts.append({"type": "text", "text": execution.said})
    return {"role": "assistant", "parts": parts, "metadata": _metadata(execution)}


def _metadata(execution: Execution) -> JsonObject:
    return {
        "turnId": execution.turn_id,
        "status": execution.status,
        "completed": execution.status == "completed",
        "interrupted": execution.status == "cancelled",
    }
