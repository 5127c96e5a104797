#!/usr/bin/env python
"""Django's command line for Fleetdash."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fleetdash.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as reason:
        # One sentence says what to do; nobody needs the way there.
        sys.exit(f"{reason}")


if __name__ == "__main__":
    main()
