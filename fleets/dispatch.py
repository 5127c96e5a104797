"""The only door to the queue: sends tasks by name, after commit.

A message is a wake-up call. What is to be done stands in Postgres, and sweeps find it there, so a
lost message or a broken Redis costs seconds and no work.
"""

from functools import partial
from typing import Any

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)

INTERACTIVE = "interactive"
DRIVE = "drive"
HOUSEKEEPING = "housekeeping"
CHECKS = "checks"


def operation_ordered(public_id: str, *, in_s: float = 0.0) -> None:
    """Wake a worker for this operation once the order is committed, or a few seconds later."""
    countdown = in_s if in_s > 0 else None
    _on_commit("fleets.perform_operation", [public_id], queue=INTERACTIVE, countdown=countdown)


def catalog_ordered(public_id: str, *, queue: str, in_s: float = 0.0) -> None:
    """Wake a worker for this order of a connection's catalog, now or a few seconds later."""
    countdown = in_s if in_s > 0 else None
    _on_commit("fleets.perform_catalog_order", [public_id], queue=queue, countdown=countdown)


def run_due(run_pk: int, *, in_s: float = 0.0) -> None:
    """Wake a worker for this run's next tick, `in_s` seconds from now (a few at most)."""
    _on_commit("fleets.tick_run", [run_pk], queue=DRIVE, countdown=in_s if in_s > 0 else None)


def answers_to_check() -> None:
    """Wake the worker that runs commands over answers, once those are committed."""
    _on_commit("fleets.check_answers", [], queue=CHECKS)


def _on_commit(name: str, args: list[Any], **options: Any) -> None:
    transaction.on_commit(partial(_send, name, args, **options))


def _send(name: str, args: list[Any], **options: Any) -> None:
    try:
        current_app.send_task(name, args=args, retry=False, ignore_result=True, **options)
    except (OperationalError, OSError) as error:
        log.warning("queue_unreachable", task=name, args=args, error=type(error).__name__)
