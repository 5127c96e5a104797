"""Commands and files on machines: the scripted shell, and six connections per request."""

from typing import Any

import pytest

from tests.unit.emulator.bench import Bench, Reply


@pytest.fixture
def bench() -> Bench:
    return Bench(pace="instant")


def command(bench: Bench, box: str, line: str, **more: Any) -> Reply:
    path = f"/sandbox/v1/sandboxes/{box}/runtime/terminals/commands"
    return bench.call("POST", path, {"command": line, **more})


def said(bench: Bench, box: str, line: str, **more: Any) -> tuple[int, str, str]:
    result = command(bench, box, line, **more).json["result"]
    return result["exitCode"], result["stdout"], result["stderr"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo 'two words'  here", (0, "two words here\n", "")),
        ("exit 3", (3, "", "")),
        ("false; echo $?", (0, "1\n", "")),
        ("false && echo no || echo yes", (0, "yes\n", "")),
        ("true && exit 7; echo never", (7, "", "")),
        ("node --version", (0, "v22.11.0\n", "")),
        ("python --version", (0, "Python 3.12.7\n", "")),
        ("sh -c 'cd /; pwd'", (0, "/\n", "")),
        ("WORD=blue; echo $WORD", (0, "blue\n", "")),
        ("nobody-knows", (127, "", "sh: nobody-knows: not found\n")),
        ("cat missing", (1, "", "cat: missing: No such file or directory\n")),
        ("echo 'open", (2, "", "sh: syntax error: No closing quotation\n")),
        ("", (0, "", "")),
    ],
)
def test_scripted_shell_answers_like_one(
    bench: Bench, line: str, expected: tuple[int, str, str]
) -> None:
    (box,) = bench.fleet()
    assert said(bench, box, line) == expected


def test_environment_is_the_machines_and_the_commands(bench: Bench) -> None:
    (box,) = bench.fleet(defaults={"env": {"MODE": "dark", "KEY": "sk-tan-secretsecret"}})
    shown = said(bench, box, "env", env={"EXTRA": "1"})[1]
    assert {f"TANGLE_SANDBOX_ID={box}", "MODE=dark", "EXTRA=1"} <= set(shown.splitlines())
    assert "secretsecret" not in shown


def test_files_that_were_written_are_listed_and_read(bench: Bench) -> None:
    (box,) = bench.fleet()
    base = f"/sandbox/v1/sandboxes/{box}/runtime/files"
    body = {"path": "notes/a.txt", "content": "hello\n"}
    assert bench.call("POST", f"{base}/write", body).status == 200
    assert said(bench, box, "echo more >> notes/a.txt && cat notes/a.txt")[1] == "hello\nmore\n"
    assert "notes" in said(bench, box, "ls")[1].split()
    read = {"path": "/workspace/notes/a.txt", "encoding": "utf8"}
    assert bench.call("POST", f"{base}/read", read).json["data"]["content"] == "hello\nmore\n"
    assert bench.call("POST", f"{base}/read", {"path": "nothing"}).status == 404


def test_long_and_binary_outputs_travel_as_json(bench: Bench) -> None:
    (box,) = bench.fleet()
    assert len(said(bench, box, "seq 300000")[1]) == 1_048_576
    code, noise, _error = said(bench, box, "head -c 500 /dev/urandom")
    assert code == 0
    assert "\ufffd" in noise
    assert said(bench, box, "head -c 500 /dev/urandom")[1] == noise


def test_command_takes_its_time_and_no_longer_than_allowed(bench: Bench) -> None:
    (box,) = bench.fleet()
    begun_ms = bench.clock.at_ms
    assert command(bench, box, "sleep 8").json["result"]["duration"] == 8_003
    assert bench.clock.at_ms - begun_ms == 8_003
    reply = command(bench, box, "sleep 8", timeout=2_000)
    assert (reply.status, reply.json["code"]) == (504, "EXEC_TIMEOUT")
    assert bench.clock.at_ms - begun_ms == 10_003


def test_command_on_a_stopped_machine_is_409(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.call("POST", f"/sandbox/v1/sandboxes/{box}/stop")
    assert command(bench, box, "true").status == 409


def execute(bench: Bench, line: str, **more: Any) -> tuple[float, Any]:
    """(seconds it took, answer) of an exec dispatch on the fleet."""
    begun_ms = bench.clock.at_ms
    body = {"type": "exec", "command": line, **more}
    reply = bench.call("POST", "/sandbox/v1/fleets/fleet-a/dispatch", body)
    assert reply.status == 200, reply.text
    return (bench.clock.at_ms - begun_ms) / 1000, reply.json


@pytest.mark.parametrize(("machines", "expected_s"), [(6, 9.7), (12, 17.8)])
def test_one_request_has_six_connections(machines: int, expected_s: float) -> None:
    bench = Bench()
    bench.fleet(machines=machines)
    took_s, answer = execute(bench, "sleep 8")
    assert took_s == pytest.approx(expected_s, abs=0.1)
    assert [row["ok"] for row in answer["results"]] == [True] * machines


def test_two_requests_side_by_side_take_one_wave() -> None:
    bench = Bench()
    bench.fleet(machines=12)
    names = [f"m{number}" for number in range(1, 13)]
    bodies = [
        {"type": "exec", "command": "sleep 8", "machines": half} for half in (names[:6], names[6:])
    ]
    begun_ms = bench.clock.at_ms
    replies = bench.together(
        *(("POST", "/sandbox/v1/fleets/fleet-a/dispatch", body) for body in bodies)
    )
    assert (bench.clock.at_ms - begun_ms) / 1000 == pytest.approx(9.7, abs=0.1)
    rows = [row for reply in replies for row in reply.json["results"]]
    assert [row["machineId"] for row in rows if row["ok"]] == names


def test_fewer_at_once_take_longer() -> None:
    bench = Bench()
    bench.fleet(machines=4)
    assert execute(bench, "sleep 8", maxConcurrent=1)[0] > 32


def test_results_are_read_again_in_the_order_asked_for(bench: Bench) -> None:
    bench.fleet(machines=3)
    _took, answer = execute(bench, "hostname", machines=["m3", "m1"])
    assert [row["machineId"] for row in answer["results"]] == ["m3", "m1"]
    path = f"/sandbox/v1/fleets/fleet-a/dispatch/{answer['dispatchId']}"
    assert bench.call("GET", path).json == answer
    assert bench.call("GET", "/sandbox/v1/fleets/fleet-a/dispatch/nobody").status == 404


def test_one_machine_may_fail_alone(bench: Bench) -> None:
    boxes = bench.fleet(machines=2)
    bench.call("POST", f"/sandbox/v1/sandboxes/{boxes[0]}/stop")
    first, second = execute(bench, "exit 4")[1]["results"]
    assert first["ok"] is False
    assert "stopped" in first["error"]["message"]
    assert second["result"]["exitCode"] == 4
    (late,) = execute(bench, "sleep 9", machines=["m2"], timeoutMs=1_000)[1]["results"]
    assert (late["ok"], late["duration"]) == (False, 1_000)


def test_prompts_and_strangers_are_refused(bench: Bench) -> None:
    bench.fleet()
    path = "/sandbox/v1/fleets/fleet-a/dispatch"
    assert bench.call("POST", path, {"type": "prompt", "message": "x"}).status == 400
    assert bench.call("POST", path, {"type": "prompt"}).status == 501
    strange = {"type": "exec", "command": "true", "machines": ["m9"]}
    assert bench.call("POST", path, strange).status == 400


def test_capabilities_document_is_there_for_every_machine(bench: Bench) -> None:
    (box,) = bench.fleet()
    reply = bench.call("GET", f"/sandbox/v1/sandboxes/{box}/runtime/capabilities")
    assert reply.json["schema"] == 1
    assert reply.json["dispatch"]["executionIdOnAdmission"] is True
