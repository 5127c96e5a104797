"""A house to break."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.integration.chaos.house import House, standing_house
from tests.integration.driving.conftest import actor, admin, emulator

__all__ = ["actor", "admin", "emulator"]


@pytest.fixture(scope="module")
def house(prepared_pair: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[House]:
    """Every process of the product, up and working, on servers of its own."""
    with django_db_blocker.unblock(), standing_house(prepared_pair) as standing:
        yield standing
