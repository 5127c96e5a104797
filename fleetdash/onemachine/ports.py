"""Ports on the loopback address: which are free, and who keeps which."""

import errno
import socket

LOOPBACK = "127.0.0.1"
_TAKEN = (errno.EADDRINUSE, errno.EACCES)


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
    """A port that nobody listens on."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
    return port


def keep_or_replace(port: int | None) -> int:
    """`port` where it is still free, else another one."""
    return port if port and is_free(port) else free_port()
