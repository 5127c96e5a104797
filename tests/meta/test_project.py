"""The project as a whole: migrations complete, fit for production, its commands written down."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet
from django.apps import apps
from django.conf import settings
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from fleetdash.celery import app
from fleets import tasks
from tests.meta import sources

PRODUCTION = {
    "SECRET_KEY": "Kx3vQ8pLr2Zt7Wm5Yc9Nb4Hj6Fd1Gs0Aa-Ee_Ii.Oo,Uu;Vv:Ww!Xx?Yy",
    "FLEETDASH_KEY_RING": Fernet.generate_key().decode(),
    "DATABASE_URL": "postgres://fleetdash:secret@postgres.internal/fleetdash",
    "REDIS_URL": "redis://:secret@redis.internal:6379/0",
    "FLEETDASH_BASE_URL": "https://fleets.example.org",
    "ALLOWED_HOSTS": "fleets.example.org",
    "CSRF_TRUSTED_ORIGINS": "https://fleets.example.org",
    "DJANGO_SETTINGS_MODULE": "fleetdash.settings",
}


def test_the_migrations_say_what_the_models_say() -> None:
    loader = MigrationLoader(None)
    detector = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps))
    ours = {"fleets", "fleetdash"}
    changes = {app: found for app, found in detector.changes(loader.graph).items() if app in ours}
    assert changes == {}


def test_the_check_for_production_finds_nothing() -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    told = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=sources.ROOT,
        env=kept | PRODUCTION | {"FLEETDASH_VAR": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr


def _targets() -> dict[str, str]:
    """Every target of the Makefile with its `##` text, "" without one."""
    found = re.findall(
        r"^([a-z][a-z-]*):[^#\n]*(?:## (.*))?$", (sources.ROOT / "Makefile").read_text(), re.M
    )
    return dict(found)


def test_every_make_target_for_people_says_what_it_does() -> None:
    inner = {"need-python", "venv", "venv-dev"}
    silent = {name for name, text in _targets().items() if not text}
    assert silent == inner


def test_make_targets_that_documents_name_exist() -> None:
    named = {
        (str(path), name)
        for path in sources.tracked()
        if path.suffix == ".md"
        for name in re.findall(r"`make ([a-z-]+)`", sources.text(path))
    }
    assert {pair for pair in named if pair[1] not in _targets()} == set()
    assert {"up", "test"} <= {name for _, name in named}


def test_the_pipeline_runs_the_test_command_of_the_readme_and_nothing_else() -> None:
    lines = (sources.ROOT / ".ci" / "run").read_text().splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    assert commands == ["set -eu", 'cd "$(dirname "$0")/.."', "exec make test"]
    assert "make test" in (sources.ROOT / "README.md").read_text()


def test_every_dependency_has_its_reason_beside_it() -> None:
    text = (sources.ROOT / "pyproject.toml").read_text()
    block = text.partition("dependencies = [\n")[2].partition("\n]")[0]
    assert [line for line in block.splitlines() if "#" not in line] == []


def test_every_task_that_is_scheduled_is_known_to_workers_that_hear_its_queue() -> None:
    schedule: list[dict[str, Any]] = list(settings.CELERY_BEAT_SCHEDULE.values())
    assert tasks.__all__
    assert {entry["task"] for entry in schedule} <= set(app.tasks)
    plan = sources.text(Path("fleetdash/onemachine/programs.py"))
    compose = sources.text(Path("docker-compose.yml"))
    for queue in {entry["options"]["queue"] for entry in schedule}:
        assert queue in plan
        assert queue in compose
