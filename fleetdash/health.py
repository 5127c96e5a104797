"""Liveness and readiness for machines: JSON, no login, nothing secret."""

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def live(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """200 when what serving needs is there; 503 names what is missing."""
    checks = {"database": _database(), "redis": _redis()}
    is_ready = all(state == "ok" for state in checks.values())
    return JsonResponse(
        {"status": "ok" if is_ready else "unavailable", **checks}, status=200 if is_ready else 503
    )


def _database() -> str:
    try:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return "migrations are missing"
    except DatabaseError:
        return "unreachable"
    return "ok"


def _redis() -> str:
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
    try:
        client.ping()
    except redis.RedisError:
        return "unreachable"
    finally:
        client.close()
    return "ok"
