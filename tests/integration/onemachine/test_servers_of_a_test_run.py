"""The servers that a test run brings along."""

import os

import pytest
from django.conf import settings
from django.db import connection
from redis import Redis


@pytest.mark.django_db
def test_the_test_database_answers_and_is_postgres_18() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        row = cursor.fetchone()
    assert row is not None
    assert int(row[0]) // 10_000 == 18


def test_redis_of_the_settings_is_the_one_of_this_worker(redis_client: Redis) -> None:
    redis_client.set("mark", os.environ.get("PYTEST_XDIST_WORKER", "alone"))
    with Redis.from_url(settings.REDIS_URL) as other:
        assert other.get("mark") == os.environ.get("PYTEST_XDIST_WORKER", "alone").encode()
