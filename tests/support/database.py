"""The migrated database: made once for a server, then copied by every process that tests on it.

Migrating takes seconds of work, a copy a tenth of one. Whoever comes first migrates its own test
database and leaves a copy of it behind as the template; the others wait for that.
"""

import hashlib
import os
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.db import connection

_MIGRATIONS = Path(__file__).resolve().parents[2] / "fleets" / "migrations"
_LOCK = 20_111
# Where nobody works: neither the template nor anybody's test database.
_MAINTENANCE = "postgres"


class Template:
    """The template of this server. Held from `find` to `leave`: only one process makes it."""

    def __init__(self, session: psycopg.Connection) -> None:
        self._session = session
        self.name = f"template_{_digest()}"

    @classmethod
    def find(cls) -> Self:
        """Have Django copy the template where there is one; waits while another makes it."""
        url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{_MAINTENANCE}")
        found = cls(psycopg.connect(urlunsplit(url), autocommit=True))
        found._session.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        if found._is_there():
            connection.settings_dict["TEST"]["TEMPLATE"] = found.name
        return found

    def leave(self) -> None:
        """Let the others copy; `connection` is on a database that nothing was written to yet."""
        if not self._is_there():
            name = connection.ops.quote_name(str(connection.settings_dict["NAME"]))
            # Only what nobody is connected to can be copied.
            connection.close()
            connection.close_pool()  # type: ignore[attr-defined]  # Postgres has one
            self._session.execute(f"CREATE DATABASE {self.name} TEMPLATE {name}")
        self._session.close()

    def _is_there(self) -> bool:
        asked = "SELECT 1 FROM pg_database WHERE datname = %s"
        return self._session.execute(asked, [self.name]).fetchone() is not None


def _digest() -> str:
    """Changes with the migrations, so that a server that is kept has no old template."""
    files = sorted(_MIGRATIONS.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
