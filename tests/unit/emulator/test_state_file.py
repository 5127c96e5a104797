from pathlib import Path
from typing import Any

from tests.unit.emulator.bench import START_MS, Bench, HandClock


def script(bench: Bench, box: str) -> list[Any]:
    """The frames without what a clock or a draw of the moment puts into them."""
    return [
        (name, data.get("delta"), data.get("finalText"), data.get("tokenUsage"), data["#"])
        for name, data in bench.frames(box, "s")
    ]


def test_turn_goes_on_after_a_restart_as_if_nothing_had_been(tmp_path: Path) -> None:
    whole = Bench(failure_share=0.0)
    (box,) = whole.fleet()
    whole.dispatch(box, "s", "Read it.")
    whole.finish_turns()

    before = Bench(state=tmp_path / "world.db", failure_share=0.0)
    before.fleet()
    before.dispatch(box, "s", "Read it.")
    before.run_for(3)
    before.world.close()
    night_ms = 8 * 3600 * 1000
    later = HandClock(before.clock.at_ms + night_ms)
    after = Bench(state=tmp_path / "world.db", clock=later, failure_share=0.0)
    assert after.execution("s").status == "running"
    assert 0 < after.execution("s").events < whole.execution("s").events
    after.finish_turns()
    assert after.execution("s").cost_nusd == whole.execution("s").cost_nusd
    frames, expected = script(after, box), script(whole, box)
    # Those of before the night are past the buffer of five minutes.
    assert frames[0][0] == "warning"
    assert frames[1:] == expected[-len(frames) + 1 :]
    assert after.world.account.held_nusd == 0
    after.world.close()


def test_turn_whose_caller_was_cut_off_by_the_restart_is_stopped(tmp_path: Path) -> None:
    before = Bench(state=tmp_path / "world.db", failure_share=0.0)
    (box,) = before.fleet()
    for session in ("attached", "detached"):
        before.dispatch(box, session, "Read it. [[slow 60]]")
    before.execution("attached").attached = True
    before.run_for(3)
    before.world.close()
    later = HandClock(before.clock.at_ms + 1_000)
    after = Bench(state=tmp_path / "world.db", clock=later, failure_share=0.0)
    after.finish_turns()
    statuses = [after.execution(name).status for name in ("attached", "detached")]
    assert statuses == ["cancelled", "completed"]
    after.world.close()


def test_commands_files_and_questions_come_back(tmp_path: Path) -> None:
    before = Bench(state=tmp_path / "world.db", failure_share=0.0)
    (box,) = before.fleet()
    before.dispatch(box, "s", "Do it. [[ask question]]")
    before.finish_turns()
    body = {"type": "exec", "command": "echo kept > note.txt; cat note.txt"}
    done = before.call("POST", "/sandbox/v1/fleets/fleet-a/dispatch", body).json
    before.world.close()
    later = HandClock(before.clock.at_ms + 1_000)
    after = Bench(state=tmp_path / "world.db", clock=later, failure_share=0.0)
    path = f"/sandbox/v1/fleets/fleet-a/dispatch/{done['dispatchId']}"
    assert after.call("GET", path).json == done
    runtime = f"/sandbox/v1/sandboxes/{box}/runtime"
    read = after.call("POST", f"{runtime}/files/read", {"path": "note.txt"})
    assert read.json["data"]["content"] == "kept\n"
    asked = after.call("GET", f"{runtime}/agents/sessions/s/interactions").json["data"]
    assert len(asked["interactions"]) == 1
    after.world.close()


def test_night_without_the_emulator_costs_nothing(tmp_path: Path) -> None:
    before = Bench(state=tmp_path / "world.db")
    key_id, secret = before.mint(1)
    (box,) = before.fleet(key=secret)
    before.run_for(10)
    spent = before.call("GET", f"/id/v1/keys/{key_id}").json["data"]["budgetSpent"]
    before.world.close()
    clock = HandClock(before.clock.at_ms + 30 * 3600 * 1000)
    after = Bench(state=tmp_path / "world.db", clock=clock)
    row = after.call("GET", f"/id/v1/keys/{key_id}").json["data"]
    assert row["budgetSpent"] == spent > 0
    after.run_for(60)
    assert after.call("GET", f"/sandbox/v1/sandboxes/{box}").json["status"] == "running"
    assert after.dispatch(box, "s", key=secret).status == 202
    after.world.close()


def test_creates_ledger_and_idempotency_come_back(tmp_path: Path) -> None:
    before = Bench(state=tmp_path / "world.db")
    body = {"fleetId": "fleet-a", "machines": [{"machineId": f"m{n}"} for n in range(6)]}
    headers = {"Idempotency-Key": "k"}
    before.call("POST", "/sandbox/v1/fleets", body, headers=headers)
    before.run_for(7)
    rows = [vars(row) for row in before.world.ledger.entries]
    before.world.close()
    after = Bench(state=tmp_path / "world.db", clock=HandClock(before.clock.at_ms + 1000))
    assert [vars(row) for row in after.world.ledger.entries] == rows
    assert after.call("POST", "/sandbox/v1/fleets", body, headers=headers).status == 201
    after.run_for(30)
    fleet = after.call("GET", "/sandbox/v1/fleets/fleet-a").json["fleet"]
    assert {one["status"] for one in fleet["machines"]} == {"running"}
    after.world.close()


def test_answered_request_survives_the_death_of_the_process(tmp_path: Path) -> None:
    before = Bench(state=tmp_path / "world.db")
    key_id, _secret = before.mint(1)
    # Nothing is closed: as after kill -9.
    after = Bench(state=tmp_path / "world.db", clock=HandClock(START_MS + 1000))
    assert after.call("GET", f"/id/v1/keys/{key_id}").status == 200
    for bench in (before, after):
        bench.world.close()


def test_what_a_reading_told_stays_true_after_the_death_of_the_process(tmp_path: Path) -> None:
    before = Bench(state=tmp_path / "world.db", failure_share=0.0)
    key_id, secret = before.mint(1)
    (box,) = before.fleet(key=secret)
    before.dispatch(box, "s", key=secret)
    before.finish_turns()
    told = (
        before.sessions(box),
        before.frames(box, "s"),
        before.call("GET", f"/id/v1/keys/{key_id}").json["data"]["budgetSpent"],
    )
    # Nothing is closed, and nobody has saved by the clock.
    after = Bench(state=tmp_path / "world.db", clock=HandClock(before.clock.at_ms + 1000))
    assert after.frames(box, "s") == told[1]
    assert after.call("GET", f"/id/v1/keys/{key_id}").json["data"]["budgetSpent"] == told[2]
    assert [one["status"] for one in after.sessions(box)] == [one["status"] for one in told[0]]
    for bench in (before, after):
        bench.world.close()


def test_journal_goes_on_after_the_death_of_the_process(tmp_path: Path) -> None:
    before = Bench(state=tmp_path / "world.db", failure_share=0.0)
    (box,) = before.fleet()
    before.dispatch(box, "s", "Read it. [[slow 60]]")
    before.dispatch(box, "s", "Read it. [[slow 60]]")
    journal = before.call("GET", "/_emulator/journal").json["entries"]
    after = Bench(state=tmp_path / "world.db", clock=HandClock(before.clock.at_ms + 1000))
    after.dispatch(box, "s", "Read it. [[slow 60]]")
    entries = after.call("GET", "/_emulator/journal").json["entries"]
    assert entries[:-1] == journal
    assert entries[-1]["seq"] == journal[-1]["seq"] + 1
    admitted = [one["admitted"] for one in entries if one["operation"] == "sessions.dispatch"]
    assert admitted == [True, False, False]
    for bench in (before, after):
        bench.world.close()


def test_state_file_holds_no_key(tmp_path: Path) -> None:
    bench = Bench(state=tmp_path / "world.db")
    _key_id, secret = bench.mint(1)
    bench.world.close()
    for path in tmp_path.iterdir():
        assert secret.encode() not in path.read_bytes()


def test_what_the_account_keeps_comes_back_and_a_call_under_way_settles(tmp_path: Path) -> None:
    before = Bench(state=tmp_path / "world.db")
    before.call("POST", "/sandbox/v1/secrets", {"name": "TOKEN", "value": "v"})
    before.call("POST", "/sandbox/v1/secrets", {"name": "GONE", "value": "v"})
    before.call("DELETE", "/sandbox/v1/secrets/GONE")
    for number, condition in enumerate(({"If-None-Match": "*"}, {"If-Match": "1"}), start=1):
        body = {"name": f"r{number}"}
        before.call("PUT", "/sandbox/v1/profiles/p", body, headers=condition)
    key_id, secret = before.mint(1)
    chat = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "hi"}]}
    before.call("POST", "/router/v1/chat/completions", chat, key=secret, leaves=True)
    assert before.world.ledger.keys[key_id].held_nusd > 0
    before.world.close()
    after = Bench(state=tmp_path / "world.db", clock=HandClock(before.clock.at_ms + 60_000))
    names = [row["name"] for row in after.call("GET", "/sandbox/v1/secrets").json["secrets"]]
    assert names == ["TOKEN"]
    assert after.call("GET", "/sandbox/v1/profiles/p?revision=1").json["profile"] == {"name": "r1"}
    assert after.call("GET", "/sandbox/v1/profiles/p").json["revision"] == 2
    after.run_for(5)
    key = after.world.ledger.keys[key_id]
    assert key.held_nusd == 0 < key.spent_nusd
    after.world.close()
