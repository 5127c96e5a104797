"""Ports on the loopback address: which are free, and who keeps which."""

import errno
import secrets
import socket
from pathlib import Path
from typing import Final

LOOPBACK = "127.0.0.1"
_TAKEN = (errno.EADDRINUSE, errno.EACCES)
# Where this machine takes the ports of outgoing connections from; nothing is kept from them there.
_OUTGOING: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST: Final = 20_000
_USUAL_OUTGOING: Final = 32_768
_TRIES: Final = 50


def is_free(port: int) -> bool:
    """Whether nobody listens on `port` of this machine, by either kind of address.

    A browser that is told `localhost` may try the newer kind first and would meet a stranger there.
    """
    return _can_bind(socket.AF_INET, LOOPBACK, port) and _can_bind(socket.AF_INET6, "::1", port)


def _can_bind(family: socket.AddressFamily, host: str, port: int) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            # As servers do: a port whose last connections are still fading away counts as free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        # A machine without the newer kind of address has no stranger there either.
        return family == socket.AF_INET6 and error.errno not in _TAKEN
    return True


def free_port() -> int:
    """A port that nobody listens on, below those that outgoing connections are given.

    Among those, any connection of this machine could take it before its server does.
    """
    above = max(_lowest_outgoing(), _LOWEST + 1)
    for _ in range(_TRIES):
        port = _LOWEST + secrets.randbelow(above - _LOWEST)
        if is_free(port):
            return port
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        bound: int = probe.getsockname()[1]
    return bound


def _lowest_outgoing() -> int:
    try:
        return int(_OUTGOING.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return _USUAL_OUTGOING


def keep_or_replace(port: int | None) -> int:
    """`port` where it is still free, else another one."""
    return port if port and is_free(port) else free_port()
