"""Work that only one process does at a time, whoever was woken for it."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def alone(name: str) -> Iterator[bool]:
    """True within this block when nobody else is in a block of this name, else False.

    The lock is the database session's: it goes with its process, however that ends. Between
    beginning and end the connection must not be closed, so the block is no place for a fork.
    """
    number = zlib.crc32(name.encode())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [number])
        is_ours = bool(cursor.fetchone()[0])
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
