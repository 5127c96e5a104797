"""The data of a migrated Postgres and Valkey, made once in a run and copied wherever one is needed.

Making it takes seconds of work; what makes it is proved by the tests of `make up` from nothing.
"""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fleetdash.onemachine.binaries import discard_copy
from fleetdash.onemachine.pair import Pair, Running

_ROOT = Path(__file__).resolve().parents[2]
_NOTES = "embedded.json"


@pytest.fixture(scope="session")
def prepared_pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder to copy from; all processes of a run share it, and the first makes it."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    made = shared / "prepared-pair"
    with (shared / "prepared-pair.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(draft := shared / "prepared-pair.draft")
            draft.rename(made)
    return made


def copy_of(prepared: Path, data: Path) -> Path:
    """Fill the new folder `data` with the prepared servers, on ports of their own."""
    # With the owner of each file: as root the servers run as another user.
    subprocess.run(["cp", "-a", str(prepared), str(data)], check=True)
    return data


def _make(data: Path) -> None:
    running = Running(Pair.prepare(data, durable=False))
    try:
        settings = {"DJANGO_SETTINGS_MODULE": "fleetdash.settings_test"}
        migrate = (sys.executable, "manage.py", "migrate", "-v0")
        environment = os.environ | settings | running.pair.environment()
        subprocess.run(migrate, cwd=_ROOT, env=environment, check=True)
    finally:
        running.stop()
        discard_copy(data)
    notes = json.loads((data / _NOTES).read_text())
    (data / _NOTES).write_text(json.dumps({"password": notes["password"]}))
