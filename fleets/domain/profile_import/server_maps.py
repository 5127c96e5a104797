"""Maps of MCP servers (`.mcp.json` and those of editors): a profile with nothing but servers."""

from collections.abc import Mapping
from typing import Any, Final

from fleets.domain.profile_import.candidate import Candidate
from fleets.domain.profile_import.candidate_builder import CandidateBuilder, Source
from fleets.domain.profile_import.mcp_servers import put_servers
from fleets.domain.profile_import.opencode import folder_name

_KEYS: Final = ("mcpServers", "servers")
_KNOWN: Final = frozenset({*_KEYS, "inputs", "$schema", "name"})


def is_server_map(value: Mapping[str, Any]) -> bool:
    """Whether it holds servers by name and is no profile."""
    return any(isinstance(value.get(key), Mapping) for key in _KEYS)


def read_server_map(source: Source) -> Candidate:
    """The profile of one map. What editors ask a person for (`inputs`) becomes names of secrets."""
    builder = CandidateBuilder(source)
    own = source.value.get("name")
    name = own if isinstance(own, str) else f"{folder_name(source.place, 'imported')} servers"
    builder.put(("name",), name, at=("name",))
    for key in _KEYS:
        if key in source.value:
            put_servers(builder, source.value[key], at=(key,))
    builder.lose_rest(source.value, known=_KNOWN)
    return builder.finish(name=name)
