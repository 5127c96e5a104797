"""Who else works on the test database."""

import time
from typing import Any

from django.db import connection

PATIENCE_S = 30.0
_OTHERS = """
SELECT pid, state, left(query, 200) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
  AND state <> 'idle'
"""


def wait_until_alone() -> None:
    """Close the pool and wait until nobody else works; fails naming who does.

    A thread whose browser went away in the middle of a request keeps its connection, idle, until
    its next request, which never comes: that harms nobody.
    """
    deadline = time.monotonic() + PATIENCE_S
    while others := _others():
        assert time.monotonic() < deadline, f"still at work: {others}"
        time.sleep(0.1)


def _others() -> list[Any]:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # of the Postgres backend only
    with connection.cursor() as cursor:
        cursor.execute(_OTHERS)
        found: list[Any] = cursor.fetchall()
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # as above
    return found
