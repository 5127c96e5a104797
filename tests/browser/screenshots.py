"""Pictures of every page: `make screenshots`, or some with `--only WORDS`.

Run beside a fresh database and Redis (`python -m fleetdash.embedded run -- …`). What it starts it
stops; only the pictures and their `index.html` stay.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Final

OUT: Final = Path(__file__).resolve().parents[2] / "var" / "screenshots"


def main() -> int:
    """Set Django up as the tests do, then take the pictures; the exit code."""
    arguments = _arguments()
    os.environ["DJANGO_SETTINGS_MODULE"] = "fleetdash.settings_test"
    # Playwright's loop runs in this thread, where Django then sees an event loop.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    import django

    django.setup()
    from tests.browser.taking import take

    return take(arguments.out, only=arguments.only)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder for the pictures")
    parser.add_argument("--only", default="", help="only pictures with these words in their name")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
