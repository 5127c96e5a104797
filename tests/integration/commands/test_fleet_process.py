"""`manage.py fleet` as a process of its own, as people start it."""

import os
import signal
import subprocess
import sys
import time

import pytest

from emulator.server import EmulatorThread
from fleets.models import Fleet
from fleets.services.actor import Actor
from tests.support.driver import standing
from tests.support.worker import ROOT, shared_environment

RUN = ("fleet", "run", "[[ok]] [[slow 600]] Part {index}.", "--agents", "2", "--max-spend-usd", "1")


def start(*words: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=shared_environment() | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_ctrl_c_leaves_the_fleet_at_work_and_says_how_to_stop_it(
    driving: None, emulator: EmulatorThread
) -> None:
    process = start(*RUN, "--json")
    deadline = time.monotonic() + 120
    while not Fleet.objects.filter(state="running").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, standing()
        time.sleep(0.05)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)

    fleet = Fleet.objects.get()
    assert process.returncode == 130
    assert out == ""
    assert f"manage.py fleet cancel {fleet.public_id}" in err
    assert f"/fleets/{fleet.public_id}" in err
    assert "Traceback" not in err
    assert fleet.state == "running"


def test_without_a_database_it_says_what_is_missing(actor: Actor, emulator: EmulatorThread) -> None:
    process = start("fleet", "list", DATABASE_URL="postgres://nobody@127.0.0.1:1/none")
    _, err = process.communicate(timeout=120)

    assert process.returncode == 1
    assert "Fleetdash is not running here: make up" in err
    assert "Traceback" not in err


def test_without_any_settings_it_says_so_in_one_sentence(tmp_path: os.PathLike[str]) -> None:
    result = subprocess.run(
        [sys.executable, "manage.py", "fleet", "list"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "FLEETDASH_VAR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 1
    assert "Fleetdash is not running here" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    "words", [("fleet",), ("fleet", "run", "--json", "--events"), ("fleet", "fly")]
)
def test_words_that_are_none_are_two(servers: None, words: tuple[str, ...]) -> None:
    process = start(*words)
    _, err = process.communicate(timeout=120)

    assert process.returncode == 2
    assert "error:" in err
