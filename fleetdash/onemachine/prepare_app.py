"""Brings the database and the static files to this version; `make up` runs it as a process.

Its last line of output is the verdict: `REFUSED <sentence>` with exit code 1, or `READY` and
whether the password of `FLEETDASH_ADMIN_PASSWORD` opens the first admin's account.
"""

import hashlib
import os
import sys
from pathlib import Path

import django
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

_OUR_APP = "fleets"
_FIRST_ADMIN = "admin"


def unknown_migrations() -> list[str]:
    """Migrations that the database has seen and this version does not have."""
    loader = MigrationLoader(connection)
    applied = [name for app, name in loader.applied_migrations if app == _OUR_APP]
    return sorted(name for name in applied if (_OUR_APP, name) not in loader.disk_migrations)


def password_opens() -> bool:
    """Whether the first admin still has the password that was made for it."""
    user = get_user_model().objects.filter(username=_FIRST_ADMIN).first()
    word = os.environ.get("FLEETDASH_ADMIN_PASSWORD", "")
    return user is not None and user.check_password(word)


def collect_static() -> None:
    """Lay out the static files for serving, when they changed: compressing them takes seconds."""
    lines = [django.get_version()]
    for path in sorted(Path(settings.BASE_DIR, "static").rglob("*")):
        info = path.stat()
        lines.append(f"{path} {info.st_size} {info.st_mtime_ns}")
    fingerprint = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    stamp = Path(settings.VAR_DIR, "static.stamp")
    laid_out = stamp.is_file() and Path(settings.STATIC_ROOT, "staticfiles.json").is_file()
    if not laid_out or stamp.read_text() != fingerprint:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
        stamp.write_text(fingerprint)


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fleetdash.settings")
    django.setup()
    try:
        if newer := unknown_migrations():
            return _refuse(
                f"The data was written by a Fleetdash that is newer than this one (it has "
                f"{newer[-1]}): run that version, or start over with `make reset`."
            )
        call_command("migrate", interactive=False, verbosity=1)
        call_command("setup")
        opens = password_opens()
    except CommandError as error:
        return _refuse(str(error))
    except DatabaseError as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        return _refuse(f"The database cannot be brought to this version: {reason[0]}")
    collect_static()
    print("READY known-password" if opens else "READY own-password")
    return 0


def _refuse(sentence: str) -> int:
    print(f"REFUSED {sentence}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
