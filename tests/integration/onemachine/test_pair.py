"""The embedded Postgres and Valkey: started, stopped, killed, started again."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from fleetdash.onemachine import leftovers
from fleetdash.onemachine.pair import Pair, Running
from fleetdash.onemachine.ports import is_free
from fleetdash.onemachine.refusals import Refusal
from tests.support.machine import eventually


def _write(pair: Pair) -> None:
    with psycopg.connect(pair.postgres.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('yesterday')")
    with redis.Redis.from_url(pair.valkey.url) as client:
        client.set("kept", "yesterday")
        client.execute_command("WAITAOF", 1, 0, 5000)


def _read(pair: Pair) -> tuple[str, str]:
    with psycopg.connect(pair.postgres.url) as connection:
        row = connection.execute("SELECT word FROM kept").fetchone()
    with redis.Redis.from_url(pair.valkey.url, decode_responses=True) as client:
        return (row or [""])[0], str(client.get("kept"))


def test_the_pair_keeps_its_data_and_its_address_from_one_start_to_the_next(tmp_path: Path) -> None:
    first = Pair.prepare(tmp_path, durable=True)
    running = Running(first)
    _write(first)
    running.stop()
    assert is_free(first.postgres.port)
    assert leftovers.find(tmp_path) == []
    second = Pair.prepare(tmp_path, durable=True)
    assert second.environment() == first.environment()
    running = Running(second)
    try:
        assert _read(second) == ("yesterday", "yesterday")
    finally:
        running.stop()


def test_both_servers_killed_lose_nothing_that_was_committed(tmp_path: Path) -> None:
    pair = Pair.prepare(tmp_path, durable=True)
    running = Running(pair)
    _write(pair)
    for pid in running.pids():
        os.kill(pid, signal.SIGKILL)
    running.stop()
    pair = Pair.prepare(tmp_path, durable=True)
    running = Running(pair)
    try:
        assert _read(pair) == ("yesterday", "yesterday")
    finally:
        running.stop()


def test_a_wrong_password_opens_neither_server(tmp_path: Path) -> None:
    pair = Pair.prepare(tmp_path, durable=False)
    running = Running(pair)
    try:
        wrong = pair.postgres.url.replace(pair.postgres.password, "wrong")
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(wrong)
        with (
            redis.Redis.from_url(f"redis://127.0.0.1:{pair.valkey.port}/0") as client,
            pytest.raises(redis.AuthenticationError),
        ):
            client.ping()
    finally:
        running.stop()


def test_a_stale_pid_file_with_the_number_of_another_process_stops_nothing(tmp_path: Path) -> None:
    pair = Pair.prepare(tmp_path, durable=False)
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (tmp_path / "postgres" / "postmaster.pid").write_text(
        f"{stranger.pid}\n{tmp_path}/postgres\n1\n1\n\n127.0.0.1\n\nready\n"
    )
    running = Running(Pair.prepare(tmp_path, durable=False))
    try:
        assert stranger.poll() is None
        with psycopg.connect(pair.postgres.url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        running.stop()
        stranger.communicate(b"\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes users")
def test_as_root_the_servers_run_as_another_user_below_a_locked_folder(tmp_path: Path) -> None:
    locked = tmp_path / "home"
    locked.mkdir(mode=0o700)
    running = Running(Pair.prepare(locked / "var", durable=False))
    try:
        assert {Path(f"/proc/{pid}").stat().st_uid for pid in running.pids()} != {0}
        assert all(Path(f"/proc/{pid}").stat().st_uid != 0 for pid in running.pids())
        assert locked.stat().st_mode & 0o777 == 0o700
    finally:
        running.stop()


def test_a_killed_owner_takes_both_servers_along(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from fleetdash.onemachine.pair import Pair, Running;"
        "running = Running(Pair.prepare(Path(sys.argv[1]), durable=False));"
        "print(*running.pids(), flush=True); sys.stdin.read()"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    pids = [int(word) for word in owner.stdout.readline().split()]
    assert len(pids) == 2
    owner.kill()
    owner.communicate()
    eventually(lambda: not any(leftovers.alive(pid) for pid in pids))
    assert leftovers.find(tmp_path) == []


def test_data_of_another_postgres_is_refused_with_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(Refusal, match="made by Postgres 17, and this Fleetdash runs Postgres 18"):
        Pair.prepare(tmp_path, durable=True)


def test_a_file_in_place_of_the_data_folder_is_refused_with_one_sentence(tmp_path: Path) -> None:
    place = tmp_path / "var"
    place.write_text("")
    with pytest.raises(Refusal, match="is not a folder"):
        Pair.prepare(place, durable=True)
