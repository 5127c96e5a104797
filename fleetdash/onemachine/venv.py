"""Makes the virtual environment and installs a lock file into it, when it changed.

Runs before anything is installed, by path and with the standard library only::

    python fleetdash/onemachine/venv.py requirements.lock

The folder is `.venv`, or `FLEETDASH_VENV`. A stamp in it remembers what was installed, so that the
second start asks no package index.
"""

import errno
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

_DEV_LOCK = "requirements-dev.lock"
_NEEDED_BYTES = 700_000_000
_OFFLINE = re.compile(
    r"NewConnectionError|ConnectTimeout|ReadTimeout|Connection refused|Temporary failure in name"
    r"|Name or service not known|Network is unreachable|Max retries exceeded|ProxyError"
    r"|No route to host|nodename nor servname|Connection reset|Retrying \("
)


class CannotInstallError(Exception):
    """One sentence for the person who typed the command."""


def ensure(venv: Path, lock: Path) -> None:
    """Make `venv` hold what `lock` pins; raises `CannotInstallError`."""
    with lock.open() as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)  # two commands at once must not install into one folder
        if not _works(venv):
            _make(venv)
        if not _is_current(venv, lock):
            _install(venv, lock)


def _works(venv: Path) -> bool:
    """Whether the environment's Python starts and is new enough (a moved one does not)."""
    try:
        check = "import sys; sys.exit(sys.version_info < (3, 11))"
        return subprocess.run([venv / "bin" / "python", "-c", check], check=False).returncode == 0  # noqa: S603
    except OSError:
        return False


def _make(venv: Path) -> None:
    if venv.exists():
        if not (venv / "pyvenv.cfg").is_file():
            raise CannotInstallError(f"{venv} is in the way: it is not a virtual environment.")
        shutil.rmtree(venv)
    _check_disk(venv)
    result = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "venv", str(venv)], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        shutil.rmtree(venv, ignore_errors=True)
        said = (result.stdout + result.stderr).strip()
        if "ensurepip" in said or "No module named venv" in said:
            raise CannotInstallError(
                f"{sys.executable} cannot make virtual environments: install its venv module "
                "(on Debian the package python3-venv)."
            )
        raise CannotInstallError(f"{venv} could not be made: {_last(said)}")


def _is_current(venv: Path, lock: Path) -> bool:
    if _read(_stamp(venv, lock)) == _fingerprint(lock):
        return True
    # The lock for development holds the other one: what it installed is enough for both.
    dev = lock.with_name(_DEV_LOCK)
    return (
        dev.is_file()
        and _read(_stamp(venv, dev)) == _fingerprint(dev)
        and _pins(lock) <= _pins(dev)
    )


def _install(venv: Path, lock: Path) -> None:
    _check_disk(venv)
    sys.stderr.write(f"Installing {len(_pins(lock))} packages of {lock.name} …\n")
    command = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-input"]
    command += [
        "--disable-pip-version-check",
        "--retries",
        "2",
        "--require-hashes",
        "-r",
        str(lock),
    ]
    if os.geteuid() == 0:
        command += ["--root-user-action", "ignore"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if result.returncode != 0:
        raise CannotInstallError(_why(result.stdout + result.stderr, lock))
    _stamp(venv, lock).write_text(_fingerprint(lock))


def _why(said: str, lock: Path) -> str:
    if "No space left on device" in said:
        return "The disk is full: free some space and start again."
    if _OFFLINE.search(said):
        return (
            f"The package index cannot be reached, so the packages of {lock.name} cannot be "
            "installed: check the network, or the index that pip is set up to use."
        )
    if "DO NOT MATCH THE HASHES" in said:
        return f"A downloaded package is not the one that {lock.name} names: nothing was installed."
    return f"pip could not install {lock.name}: {_last(said)}"


def _check_disk(venv: Path) -> None:
    free = shutil.disk_usage(venv.absolute().parent).free
    if free < _NEEDED_BYTES:
        raise CannotInstallError(
            f"The disk of {venv} is full: the packages need {_NEEDED_BYTES // 1_000_000} MB and "
            f"{free // 1_000_000} MB are free."
        )


def _stamp(venv: Path, lock: Path) -> Path:
    return venv / f"fleetdash-{lock.name}.stamp"


def _fingerprint(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()


def _pins(lock: Path) -> frozenset[str]:
    return frozenset(re.findall(r"^[A-Za-z0-9._-]+==[^\s\\;]+", lock.read_text(), re.MULTILINE))


def _read(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


def _last(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["no reason given"])[-1]


def main() -> int:
    venv = Path(os.environ.get("FLEETDASH_VENV") or ".venv")
    try:
        ensure(venv, Path(sys.argv[1]))
    except CannotInstallError as reason:
        sys.stderr.write(f"{reason}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        what = "The disk is full: free some space" if full else f"{venv} cannot be made: {error}"
        sys.stderr.write(f"{what}.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
