"""Ports for servers come from where no outgoing connection is given one."""

import socket
from pathlib import Path

import pytest

from fleetdash.onemachine import ports


def test_a_port_lies_below_those_of_outgoing_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outgoing = tmp_path / "ip_local_port_range"
    outgoing.write_text("20040\t60999\n")
    monkeypatch.setattr(ports, "_OUTGOING", outgoing)
    assert {ports.free_port() for _ in range(200)} <= set(range(20_000, 20_040))


def test_a_port_that_somebody_listens_on_is_not_given() -> None:
    with socket.create_server((ports.LOOPBACK, 0)) as server:
        assert not ports.is_free(server.getsockname()[1])
