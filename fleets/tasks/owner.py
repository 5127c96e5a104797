"""The name under which a worker process holds leases."""

import os
import secrets
import socket


def owner() -> str:
    """Unique per piece of work, so that a process never mistakes an old lease for its own."""
    return f"{socket.gethostname()[:30]}:{os.getpid()}:{secrets.token_hex(6)}"
