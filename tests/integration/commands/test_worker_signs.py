"""A real worker and beat say that they live, and the health page counts them."""

import time

import pytest
from django.utils import timezone

from fleets.selectors.health import house_health
from tests.support.worker import Workers

PATIENCE_S = 90.0


@pytest.mark.django_db(transaction=True)
def test_worker_and_beat_are_heard_of_within_seconds(worker: Workers) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        parts = {part.name: part for part in house_health(now=timezone.now()).parts}
        if parts["Workers"].condition == "ok" and parts["Scheduler"].condition == "ok":
            break
        assert time.monotonic() < deadline, parts
        time.sleep(0.2)

    assert parts["Workers"].detail.startswith("1 alive, ")
    assert parts["Workers"].detail.endswith(" of 2 places busy")
