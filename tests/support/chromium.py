"""Finds Chromium for the browser tests, and installs Debian's package where that is allowed.

No browser is downloaded from elsewhere. `CHROMIUM` names one by its path.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PLACES = (
    "/usr/lib/chromium/chromium",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
_APT = ("apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=300")
_INSTALL_LIMIT_S = 600

# As root there is no sandbox to have; the rest keeps the browser from talking to the world.
FLAGS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--mute-audio",
)


class NoChromiumError(Exception):
    """There is no browser here; the message says what to do."""


def find() -> Path | None:
    """The browser's program, or None. Raises `NoChromiumError` when `CHROMIUM` names none."""
    if named := os.environ.get("CHROMIUM"):
        if not os.access(named, os.X_OK):
            raise NoChromiumError(f"CHROMIUM={named} is no program that can be run.")
        return Path(named)
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    found = found or next((place for place in _PLACES if os.access(place, os.X_OK)), None)
    return Path(found) if found else None


def require() -> Path:
    """The browser's program; raises `NoChromiumError` where there is none."""
    if program := find():
        return program
    raise NoChromiumError(
        "There is no Chromium: install Debian's package `chromium`, name one with "
        "CHROMIUM=/path/to/it, or leave the browser tests out with NO_BROWSER=1."
    )


def install() -> Path:
    """Install Debian's package and a font to draw with; raises `NoChromiumError` saying why not."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return require()
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    packages = ("chromium", "fonts-dejavu-core")
    for words in (("update",), ("install", "--no-install-recommends", *packages)):
        try:
            result = subprocess.run(
                [*_APT, *words],
                env=quiet,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_INSTALL_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise NoChromiumError(f"apt-get {words[0]} took too long.") from late
        # A list that is not quite fresh is good enough if the package can be had.
        if result.returncode != 0 and words[0] == "install":
            said = (result.stdout + result.stderr).strip().splitlines()
            raise NoChromiumError(f"Chromium could not be installed: {said[-1] if said else '?'}")
    return require()


def main() -> int:
    """Print the browser's path, installing it first where it is missing."""
    try:
        program = find() or install()
    except NoChromiumError as reason:
        sys.stderr.write(f"{reason}\n")
        return 1
    sys.stdout.write(f"{program}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
