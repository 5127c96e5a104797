"""The blocking run: one turn in one answer, cut at about 30 s (contract 1.3, 3.1)."""

from emulator.calls import Answer, Call, LateAnswer, until
from emulator.closing import result_body
from emulator.entities import Execution
from emulator.errors import ApiError, bad_request
from emulator.resources.dispatch import admit_attached, stop_attached

CUT_MS = 30_000


def run(call: Call) -> LateAnswer:
    """The turn's result; 500 after 30 s of the emulator's clock, and the turn stops (ours)."""
    if call.body.get("detach", False):
        raise bad_request("A blocking run cannot be detached.", field="detach")
    world, execution = call.world, admit_attached(call).execution
    cut_ms = world.now_ms() + CUT_MS
    world.scheduler.at(cut_ms, kind="wake", entity_id=execution.id)

    async def wait() -> Answer:
        await until(
            world,
            execution.id,
            is_done=lambda: execution.status != "running" or world.now_ms() >= cut_ms,
        )
        if execution.status == "running":
            stop_attached(world, execution)
            raise ApiError(500, {"error": "The run took too long.", "code": "SERVER_ERROR"})
        return Answer({"data": _result(execution)})

    return LateAnswer(wait, on_drop=lambda: stop_attached(world, execution))


def _result(execution: Execution) -> dict[str, object]:
    outcome = execution.status if execution.waiting is None else execution.waiting["status"]
    body = result_body(execution, outcome=outcome)
    if execution.error is not None:
        body |= {"error": execution.error, "errorCode": execution.error_code}
    return body
