"""The client's page lists every method and tells each operation's rule as the code has it."""

import inspect
import re
from pathlib import Path

from fleets.platform_api import operations as op
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.resources.base import Resource
from fleets.platform_api.secret import Secret
from fleets.platform_api.transport import Transport
from fleets.platform_api.types import BaseUrls
from tests.meta import sources

_ROW = re.compile(
    r"^\| (`[a-z_.`, ]+`) \| ([A-Z]+) `(/\S+)` \| (.+) \| (.+) \| ([\d, ]+) \|$", re.M
)
_AGAIN = {
    op.Repeat.ALWAYS: "yes",
    op.Repeat.IF_KEYED: "with a key",
    op.Repeat.IF_NOT_SENT: "if it never left",
}


def _rows() -> list[tuple[str, ...]]:
    return _ROW.findall(sources.text(Path("docs/platform_client.md")))


def _methods() -> set[str]:
    """`noun.method` of everything that a client offers."""

    class Nowhere(Transport):
        def __init__(self) -> None:
            """Opens nothing."""

    client = PlatformClient(
        BaseUrls(sandbox="", id="", router=""), Secret("k"), transport=Nowhere()
    )
    return {
        f"{noun}.{name}"
        for noun, resource in vars(client).items()
        if isinstance(resource, Resource)
        for name, _method in inspect.getmembers(resource, inspect.ismethod)
        if not name.startswith("_")
    }


def test_every_method_is_listed_once() -> None:
    listed = [name for row in _rows() for name in re.findall(r"`client\.([a-z_.]+)`", row[0])]
    assert len(_methods()) > 50
    assert sorted(listed) == sorted(_methods())


def test_every_operation_is_told_as_it_is() -> None:
    told = [(method, path, again, codes) for _names, method, path, _where, again, codes in _rows()]
    is_so = [
        (
            one.method,
            one.path,
            "no" if one.stream else _AGAIN[one.repeat],
            ", ".join(str(status) for status in sorted(one.temporary)),
        )
        for one in op.ALL
    ]
    assert sorted(told) == sorted(is_so)
