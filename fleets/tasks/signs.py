"""What the worker and the beat say of themselves, and how long ticks take."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery.signals import beat_init, before_task_publish, heartbeat_sent, worker_ready
from celery.worker import state

from fleets import pulse

_worker: dict[str, Any] = {}


@worker_ready.connect
def remember_worker(sender: Any, **_facts: Any) -> None:
    """Keep what never changes of this worker."""
    _worker["name"] = str(sender.hostname)
    _worker["places"] = int(sender.pool.num_processes)
    _worker["queues"] = sorted(queue.name for queue in sender.task_consumer.queues)
    sign_worker()


@heartbeat_sent.connect
def sign_worker(**_facts: Any) -> None:
    """Every few seconds: that this worker lives, and how many of its places are taken."""
    if _worker:
        pulse.sign(
            "worker",
            _worker["name"],
            places=_worker["places"],
            busy=len(state.active_requests),
            queues=_worker["queues"],
        )


@beat_init.connect
def watch_beat(**_facts: Any) -> None:
    """In the beat alone: each sweep that it sends is a sign of life."""
    before_task_publish.connect(sign_beat)


def sign_beat(**_facts: Any) -> None:
    """The beat has just sent a sweep."""
    pulse.sign("beat", socket.gethostname())


@contextmanager
def counted(name: str) -> Iterator[None]:
    """Count how long a piece of work takes, and write down what it counted."""
    began = time.monotonic()
    try:
        yield
    finally:
        pulse.observe(name, time.monotonic() - began)
        pulse.flush()
