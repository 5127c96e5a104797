"""What a machine does besides dispatched turns: commands, files, attached runs, traces."""

import base64
from typing import Any

import pytest

from tests.contract.platform import BACKEND, FleetUnderTest, Platform
from tests.contract.raw import ask

PROMPT = "[[ok]] [[calls 1]] Say hello."


def run_body(session_id: str, *, turn_id: str = "t1-1", prompt: str = PROMPT) -> dict[str, Any]:
    text = base64.b64encode(prompt.encode()).decode()
    return {
        "id": "default",
        "sessionId": session_id,
        "turnId": turn_id,
        "parts": [{"type": "text", "text": text}],
        "backend": BACKEND,
    }


def box_path(fleet: FleetUnderTest, rest: str) -> str:
    return f"/v1/sandboxes/{fleet.sandbox_id}/{rest}"


@pytest.mark.from_source
def test_a_command_answers_with_its_code_and_output(platform: Platform) -> None:
    """Contract 2.4."""

    async def act(fleet: FleetUnderTest) -> Any:
        path = box_path(fleet, "runtime/terminals/commands")
        body = {"command": "echo hello; exit 3", "timeout": 20_000}
        return (await ask(platform, "POST", path, body)).json()

    answer = platform.with_fleet(act)
    assert answer["success"] is True
    assert (answer["result"]["exitCode"], answer["result"]["stdout"]) == (3, "hello\n")
    assert answer["result"]["duration"] >= 0


@pytest.mark.from_source
def test_a_file_that_was_written_is_read_back(platform: Platform) -> None:
    """Contract 2.4."""

    async def act(fleet: FleetUnderTest) -> Any:
        written = {"path": "/tmp/note.txt", "content": "one\ntwo é\n"}
        path = box_path(fleet, "runtime/files/write")
        assert (await ask(platform, "POST", path, written)).is_success
        path = box_path(fleet, "runtime/files/read")
        body = {"path": written["path"], "encoding": "utf8"}
        return (await ask(platform, "POST", path, body)).json()

    assert platform.with_fleet(act)["data"]["content"] == "one\ntwo é\n"


@pytest.mark.from_source
def test_a_blocking_run_answers_with_the_result(platform: Platform) -> None:
    """Contract 3.1: `{data: {outcome, finalText, tokenUsage, metadata, …}}`."""

    async def act(fleet: FleetUnderTest) -> Any:
        path = box_path(fleet, "runtime/agents/run")
        return (await ask(platform, "POST", path, run_body("s"), key=fleet.key.key)).json()

    data = platform.with_fleet(act)["data"]
    assert data["outcome"] == {"type": "completed"}
    assert data["finalText"]
    assert data["metadata"]["sessionId"] == "s"
    assert data["tokenUsage"]["totalTokens"] > 0


@pytest.mark.from_source
def test_an_attached_run_streams_until_done(platform: Platform) -> None:
    """Contract 3.1, 3.5."""

    async def act(fleet: FleetUnderTest) -> str:
        path = box_path(fleet, "runtime/agents/run/stream")
        return (await ask(platform, "POST", path, run_body("s"), key=fleet.key.key)).text

    types = [
        line.removeprefix("event: ")
        for line in platform.with_fleet(act).splitlines()
        if line.startswith("event: ")
    ]
    assert types[0] == "start"
    assert types[-1] == "done"
    assert "result" in types


@pytest.mark.our_choice
def test_an_attached_run_beside_an_active_turn_is_409(platform: Platform) -> None:
    """Contract 3.3 leaves open how an attached run says that it was not admitted."""

    async def act(fleet: FleetUnderTest) -> int:
        await fleet.dispatch("s", "t1-1", "[[ok]] [[slow 30]] Count to ten.")
        path = box_path(fleet, "runtime/agents/run/stream")
        body = run_body("s", turn_id="t2-1")
        found = (await ask(platform, "POST", path, body, key=fleet.key.key)).status_code
        await fleet.account.sessions.abort(fleet.sandbox_id, "s")
        return found

    assert platform.with_fleet(act) == 409


@pytest.mark.our_choice
def test_a_session_is_read_as_messages(platform: Platform) -> None:
    """Contract 3.4, 10 row 12."""

    async def act(fleet: FleetUnderTest) -> Any:
        await fleet.dispatch("s", "t1-1", PROMPT)
        await fleet.finished("s")
        path = box_path(fleet, "runtime/agents/sessions/s/messages?limit=10")
        return (await ask(platform, "GET", path)).json()["data"]["messages"]

    asked, answered = platform.with_fleet(act)
    assert (asked["role"], answered["role"]) == ("user", "assistant")
    assert asked["parts"][0]["text"] == PROMPT
    assert answered["metadata"]["turnId"] == "t1-1"
    assert answered["metadata"]["completed"] is True


@pytest.mark.our_choice
def test_a_trace_goes_through_every_service(platform: Platform) -> None:
    """Contract 10 row 15."""

    async def act(fleet: FleetUnderTest) -> Any:
        await fleet.dispatch("s", "t1-1", PROMPT)
        row = await fleet.finished("s")
        path = box_path(fleet, f"trace?traceId={row.trace_id}")
        return (await ask(platform, "GET", path)).json()["trace"]

    trace = platform.with_fleet(act)
    services = {span["service"] for span in trace["spans"]}
    assert services == {"api", "orchestrator", "runtime", "router"}
    assert all(phase["durationMs"] >= 0 for phase in trace["criticalPath"]["phases"])


@pytest.mark.from_source
def test_a_command_on_all_machines_answers_for_each(platform: Platform) -> None:
    """Contract 4.1."""

    async def act(fleet: FleetUnderTest) -> Any:
        path = f"/v1/fleets/{fleet.fleet.fleet_id}/dispatch"
        body = {"type": "exec", "command": "echo here", "timeoutMs": 20_000}
        return (await ask(platform, "POST", path, body)).json()

    answer = platform.with_fleet(act, machines=2)
    assert answer["dispatchId"]
    assert {row["machineId"] for row in answer["results"]} == {"m-1", "m-2"}
    assert all(row["ok"] and row["result"]["stdout"] == "here\n" for row in answer["results"])


@pytest.mark.our_choice
def test_a_dispatch_is_read_again_with_the_same_body(platform: Platform) -> None:
    """Contract 10 row 7."""

    async def act(fleet: FleetUnderTest) -> tuple[Any, Any]:
        path = f"/v1/fleets/{fleet.fleet.fleet_id}/dispatch"
        first = (await ask(platform, "POST", path, {"type": "exec", "command": "true"})).json()
        return first, (await ask(platform, "GET", f"{path}/{first['dispatchId']}")).json()

    first, again = platform.with_fleet(act)
    assert first == again


@pytest.mark.emulator_only
def test_an_agent_that_asks_waits_and_is_answered_once(platform: Platform) -> None:
    """Contract 3.1, 3.4: only a script makes an agent ask for certain."""

    async def act(fleet: FleetUnderTest) -> list[int]:
        await fleet.dispatch("s", "t1-1", "[[ask approval]] Push it.")
        await fleet.finished("s")
        result = await fleet.account.sessions.result(fleet.sandbox_id, "s")
        assert result is not None
        assert (result.status, result.success) == ("blocked_on_approval", False)
        path = box_path(fleet, "runtime/agents/sessions/s/interactions")
        (asked,) = (await ask(platform, "GET", path)).json()["data"]["interactions"]
        answers = [
            {"id": asked["id"], "outcome": outcome}
            for outcome in ("accepted", "accepted", "declined")
        ]
        return [(await ask(platform, "POST", path, body)).status_code for body in answers]

    assert platform.with_fleet(act) == [200, 200, 409]
