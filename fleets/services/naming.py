"""Lets makers of names that nobody else may have go one after another."""

from django.db import connection


def wait_to_name(kind: str) -> None:
    """Wait until nobody else is making one of this kind; held until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [kind])
