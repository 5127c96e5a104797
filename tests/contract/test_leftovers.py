"""The check that every test of this folder passes through can fail."""

import socket
import threading

import pytest

from tests.contract.leftovers import DESCRIPTORS, left_after, opened

pytestmark = pytest.mark.emulator_only


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="only Linux tells a process its sockets")
def test_an_open_socket_is_seen_until_it_is_closed() -> None:
    before = opened()
    with socket.socket():
        (left,) = left_after(before, grace_s=0)
        assert left.startswith("socket:")
    assert left_after(before) == []


def test_a_running_thread_is_seen_until_it_ends() -> None:
    before, over = opened(), threading.Event()
    thread = threading.Thread(target=over.wait, name="forgotten")
    thread.start()
    (left,) = left_after(before, grace_s=0)
    assert left.startswith("forgotten")
    over.set()
    thread.join()
    assert left_after(before) == []
