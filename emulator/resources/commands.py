"""One command or file on one machine, through its runtime (contract 2.4)."""

from emulator.calls import Answer, Call, LateAnswer, until
from emulator.entities import Machine
from emulator.errors import ApiError, bad_request, not_found, wrong_state
from emulator.host_shell import HostOutcome
from emulator.resources.sandboxes import find_machine
from emulator.shell import DEFAULT_TIMEOUT_MS, WORKSPACE, Outcome, run_line
from emulator.shell_commands import FILES
from emulator.strict import INT, OBJECT, TEXT, check_fields, positive

LONGEST_FILE = 1_048_576
_COMMAND = {"command": TEXT, "cwd": TEXT, "env": OBJECT, "timeout": INT}


def command(call: Call) -> LateAnswer:
    """Answers when the command has ended; 504 EXEC_TIMEOUT when that takes too long."""
    body, world = call.body, call.world
    check_fields(body, where="body", fields=_COMMAND, required=("command",))
    check_fields(body.get("env", {}), where="env", fields=dict.fromkeys(body.get("env", {}), TEXT))
    positive(body, where="body", names=("timeout",))
    machine = running_machine(call)
    if world.host is not None:
        return LateAnswer(lambda: _on_host(call, machine))
    outcome = run_line(
        machine, body["command"], cwd=body.get("cwd", WORKSPACE), env=body.get("env")
    )
    world.touch(machine)
    limit_ms = body.get("timeout", DEFAULT_TIMEOUT_MS)
    due_ms = world.now_ms() + min(outcome.took_ms, limit_ms)
    signal = f"command {call.entry.seq}"
    world.scheduler.at(due_ms, kind="wake", entity_id=signal)

    async def wait() -> Answer:
        await until(world, signal, is_done=lambda: world.now_ms() >= due_ms)
        if machine.status != "running":
            raise wrong_state("The sandbox stopped.", current=machine.status, required="running")
        if outcome.took_ms > limit_ms:
            raise _too_long(limit_ms)
        return _result(outcome)

    return LateAnswer(wait)


async def _on_host(call: Call, machine: Machine) -> Answer:
    """The command itself, in the machine's folder; times are real ones."""
    body, host = call.body, call.world.host
    assert host is not None
    limit_ms = body.get("timeout", DEFAULT_TIMEOUT_MS)
    outcome = await host.run(
        machine,
        body["command"],
        cwd=body.get("cwd", WORKSPACE),
        env=body.get("env"),
        limit_ms=limit_ms,
    )
    if machine.status != "running":
        raise wrong_state("The sandbox stopped.", current=machine.status, required="running")
    if outcome.exit_code is None:
        raise _too_long(limit_ms)
    return _result(outcome)


def _too_long(limit_ms: int) -> ApiError:
    message = f"The command did not end within {limit_ms} ms."
    return ApiError(504, {"error": message, "code": "EXEC_TIMEOUT", "timeoutMs": limit_ms})


def _result(outcome: Outcome | HostOutcome) -> Answer:
    result = {
        "exitCode": outcome.exit_code,
        "stdout": outcome.stdout,
        "stderr": outcome.stderr,
        "duration": outcome.took_ms,
    }
    return Answer({"success": True, "result": result})


def write(call: Call) -> Answer:
    fields = {"path": TEXT, "content": TEXT, "encoding": TEXT}
    check_fields(call.body, where="body", fields=fields, required=("path", "content"))
    _check_text(call)
    if len(call.body["content"]) > LONGEST_FILE:
        message = f"Files above {LONGEST_FILE} characters are refused."
        raise ApiError(413, {"error": message, "code": "FILE_TOO_LARGE"})
    machine = running_machine(call)
    if call.world.host is not None:
        call.world.host.write(machine, call.body["path"], call.body["content"])
        return Answer({"success": True})
    machine.files[_absolute(call.body["path"])] = call.body["content"]
    call.world.touch(machine)
    return Answer({"success": True})


def read(call: Call) -> Answer:
    fields = {"path": TEXT, "encoding": TEXT}
    check_fields(call.body, where="body", fields=fields, required=("path",))
    _check_text(call)
    machine = running_machine(call)
    path = _absolute(call.body["path"])
    if call.world.host is not None:
        return Answer({"data": {"content": call.world.host.read(machine, path)}})
    content = machine.files.get(path, FILES.get(path))
    if content is None:
        raise not_found("file", path)
    return Answer({"data": {"content": content}})


def running_machine(call: Call) -> Machine:
    """The machine, 409 when it does not run; being used, it is not idle."""
    machine = find_machine(call.world, call.params["sandboxId"])
    if machine.status != "running" or machine.deleting:
        raise wrong_state("The sandbox is not running.", current=machine.status, required="running")
    machine.activity_ms = call.world.now_ms()
    return machine


def _check_text(call: Call) -> None:
    if call.body.get("encoding", "utf8") not in ("utf8", "utf-8"):
        raise bad_request("Only encoding utf8 is emulated.", field="encoding")


def _absolute(path: str) -> str:
    return path if path.startswith("/") else f"{WORKSPACE}/{path}"
