"""Keeps what is known of the platform's catalogs young, without anybody asking.

Such a reading is an order like any other; it waits in the queue of what nobody waits for, and each
of its calls behind all else that the connection's rate is spent on.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from fleets.models import CatalogAct, CatalogOrder, Connection
from fleets.services.actor import SYSTEM
from fleets.services.catalog_orders import order_reading

EVERY: Final = timedelta(minutes=5)
KEPT_FOR: Final = timedelta(hours=1)


def order_due_readings(*, now: datetime) -> list[CatalogOrder]:
    """Order a reading of each catalog that was neither read nor tried for five minutes."""
    tried = CatalogOrder.objects.filter(
        Q(ended_at=None) | Q(requested_at__gt=now - EVERY), act=CatalogAct.READ
    )
    young = Q(catalog_read_at__gt=now - EVERY) | Q(pk__in=tried.values("connection"))
    return [order_reading(one, actor=SYSTEM) for one in Connection.objects.exclude(young)]


def forget_old_readings(*, now: datetime) -> int:
    """Remove readings that nobody ordered once they are an hour old; how many."""
    old = CatalogOrder.objects.filter(
        act=CatalogAct.READ, door=SYSTEM.door, ended_at__lt=now - KEPT_FOR
    )
    return old.delete()[0]
