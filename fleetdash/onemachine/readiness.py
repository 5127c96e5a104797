"""Waits until something answers."""

import http.client
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable

from fleetdash.onemachine.ports import LOOPBACK
from fleetdash.onemachine.refusals import Refusal

_STEP_S = 0.1


def wait_for(
    what: str, answers: Callable[[], bool], *, watching: Callable[[], None], limit_s: float
) -> None:
    """Wait until `answers`; `watching` may raise earlier. Raises `Refusal` after `limit_s`."""
    deadline = time.monotonic() + limit_s
    while not answers():
        watching()
        if time.monotonic() > deadline:
            raise Refusal(f"{what} did not become ready within {limit_s:.0f} seconds.")
        time.sleep(_STEP_S)


def listens(port: int) -> bool:
    """Whether somebody takes connections on `port`."""
    try:
        socket.create_connection((LOOPBACK, port), timeout=1).close()
    except OSError:
        return False
    return True


def is_ok(url: str) -> bool:
    """Whether `url` answers 200."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - our own http address
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError, http.client.HTTPException):
        return False
