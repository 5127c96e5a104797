"""The compose file and the image, read and never run: no Docker engine runs where we develop."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from fleetdash.onemachine.plan import Plan
from fleetdash.onemachine.programs import applications

ROOT = Path(__file__).resolve().parents[2]
WORKERS = {"worker", "acts", "checks"}
OWN = {"setup", "web", "beat", "follow", "emulator"} | WORKERS
EXPECTED = {"postgres", "redis", "caddy"} | OWN


@cache
def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return document


def _command(service: dict[str, Any]) -> list[str]:
    return [str(word) for word in service.get("command", [])]


def test_it_has_every_service_and_no_other() -> None:
    assert set(compose()["services"]) == EXPECTED


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_every_service_has_a_complete_health_check(name: str) -> None:
    check = compose()["services"][name]["healthcheck"]
    assert check["test"][0] in {"CMD", "CMD-SHELL"}
    assert {"interval", "timeout", "retries"} <= set(check)


def test_emulator_and_proxy_start_only_when_asked_for() -> None:
    services = compose()["services"]
    profiles = {name: one["profiles"] for name, one in services.items() if "profiles" in one}
    assert profiles == {"emulator": ["emulator"], "caddy": ["tls"]}


def test_whatever_a_service_waits_for_exists_and_can_be_waited_for() -> None:
    services = compose()["services"]
    for name, service in services.items():
        for other, how in service.get("depends_on", {}).items():
            assert other in services, f"{name} waits for {other}"
            condition = how["condition"]
            assert condition in {"service_healthy", "service_completed_successfully"}


def test_every_named_volume_is_declared() -> None:
    document = compose()
    used = {
        volume.split(":")[0]
        for service in document["services"].values()
        for volume in service.get("volumes", [])
    }
    assert used == set(document["volumes"])


def test_our_services_share_one_image() -> None:
    images = {compose()["services"][name]["image"] for name in OWN}
    assert images == {"fleetdash"}


@pytest.mark.parametrize("module", ["uvicorn", "celery", "emulator"])
def test_the_modules_that_the_image_runs_exist(module: str) -> None:
    words = [word for one in compose()["services"].values() for word in _command(one)]
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert module in words or f'"{module}"' in dockerfile
    found = subprocess.run(
        [sys.executable, "-c", f"import importlib.util as u; assert u.find_spec('{module}')"],
        cwd=ROOT,
        check=False,
    )
    assert found.returncode == 0


@pytest.mark.parametrize("name", [*sorted(WORKERS), "beat"])
def test_celery_reads_its_command_line(name: str) -> None:
    from fleetdash.celery import app

    words = _command(compose()["services"][name])
    assert words[:5] == ["python", "-m", "celery", "-A", "fleetdash"]
    command = "celery.bin.beat.beat" if name == "beat" else "celery.bin.worker.worker"
    module, _, function = command.rpartition(".")
    parser = getattr(__import__(module, fromlist=[function]), function)
    parser.make_context(name, words[6:], obj=_celery_context(app))


def _celery_context(app: Any) -> Any:
    from celery.bin.base import CLIContext

    return CLIContext(app=app, no_color=True, workdir=None, quiet=True)


def _after(words: list[str], option: str) -> str:
    return words[words.index(option) + 1]


@pytest.mark.parametrize("name", sorted(WORKERS))
def test_a_worker_is_started_as_on_one_machine_and_asked_by_its_own_name(name: str) -> None:
    (program,) = [one for one in applications(Plan.read({})) if one.name == name]
    service = compose()["services"][name]
    words = _command(service)
    start = words.index("celery")
    assert tuple(words[start:]) == program.command[program.command.index("celery") :]
    node = _after(words, "-n").removesuffix("%h")
    assert f" -d {node}$$HOSTNAME " in service["healthcheck"]["test"][1]


def test_the_workers_serve_every_queue_that_anything_is_sent_to() -> None:
    from django.conf import settings

    commands = [_command(compose()["services"][name]) for name in sorted(WORKERS)]
    served = {queue for words in commands for queue in _after(words, "-Q").split(",")}
    schedule: dict[str, Any] = settings.CELERY_BEAT_SCHEDULE
    sent = {entry["options"]["queue"] for entry in schedule.values()}
    assert sent | {settings.CELERY_TASK_DEFAULT_QUEUE} <= served


def test_the_emulator_knows_the_options_it_is_given() -> None:
    words = _command(compose()["services"]["emulator"])
    told = subprocess.run(
        [sys.executable, "-m", "emulator", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert all(word in told for word in words if word.startswith("--"))


def test_what_the_image_copies_is_there() -> None:
    copied = re.findall(r"^COPY (\S+) ", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert len(copied) > 5
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_runs_as_nobody_important() -> None:
    assert re.search(r"^USER (?!root)\S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_both_files_say_that_they_were_only_read() -> None:
    for name in ("Dockerfile", "docker-compose.yml"):
        assert "Checked statically" in (ROOT / name).read_text()
