"""Celery tasks, all thin: each calls one service. Named, so that `fleets.dispatch` sends by
name.
"""

from fleets.tasks import garbage, logs, signs
from fleets.tasks.checking import check_answers
from fleets.tasks.driving import reap_runs, tick_run
from fleets.tasks.operations import perform_operation, resend_operations
from fleets.tasks.platform_catalog import keep_catalogs, perform_catalog_order
from fleets.tasks.watching import read_accounts, watch_fleets

__all__ = [
    "check_answers",
    "garbage",
    "keep_catalogs",
    "logs",
    "perform_catalog_order",
    "perform_operation",
    "read_accounts",
    "reap_runs",
    "resend_operations",
    "signs",
    "tick_run",
    "watch_fleets",
]
