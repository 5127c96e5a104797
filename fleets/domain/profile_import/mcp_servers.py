"""MCP servers as `.mcp.json`, editors, opencode and codex write them, in the schema's three shapes.

What the programs agree on is `command` with `args` and `env`, or `url` with `headers`. The rest is
read here under all its names; lists of allowed or forbidden tools have no place and are rules.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from fleets.domain.json_lines import Path
from fleets.domain.profile_import.candidate_builder import CandidateBuilder
from fleets.domain.profile_import.config_values import config_value, put_values, secret_ref

_URLS: Final = ("url", "serverUrl", "httpUrl")
_ENVS: Final = ("env", "environment")
_HEADERS: Final = ("headers", "http_headers")
_TRANSPORTS: Final[Mapping[str, str]] = {
    "stdio": "stdio",
    "local": "stdio",
    "sse": "sse",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "streamable_http": "http",
}
_RULES: Final = frozenset(
    {
        *("alwaysAllow", "autoApprove", "trust", "tools", "allowedTools", "disabledTools"),
        *("enabledTools", "includeTools", "excludeTools", "enabled_tools", "disabled_tools"),
        *("default_tools_approval_mode", "oauth", "scopes", "auth", "sandbox"),
    }
)
_OWN: Final = frozenset(
    {
        *("command", "args", "cwd", "type", "transport", "enabled", "disabled", "metadata"),
        *("env_vars", "bearer_token_env_var", "env_http_headers", "name"),
        *_URLS,
        *_ENVS,
        *_HEADERS,
    }
)


def put_servers(builder: CandidateBuilder, servers: Any, *, at: Path) -> None:
    """An object of servers by name."""
    if not isinstance(servers, Mapping):
        builder.refuse(at, "must be servers by name.")
        return
    for name, server in servers.items():
        if isinstance(server, Mapping):
            put_server(builder, str(name), server, at=(*at, name))
        else:
            builder.refuse((*at, name), "must be an object with command or url.")


def put_server(
    builder: CandidateBuilder, name: str, server: Mapping[str, Any], *, at: Path
) -> None:
    """One server. A switched off one keeps nothing but that it is off: so the schema has it."""
    path = ("mcp", name)
    if server.get("enabled") is False or server.get("disabled") is True:
        builder.put(path, {"enabled": False}, at=at)
        if set(server) - {"enabled", "disabled", "type"}:
            builder.lose(at, "is switched off: what it would run has no place")
        return
    builder.put(path, {}, at=at)
    if "command" in server:
        _put_local(builder, server, path=path, at=at)
    else:
        _put_remote(builder, server, path=path, at=at)
    _put_transport(builder, server, path=path, at=at)
    if "metadata" in server:
        builder.put((*path, "metadata"), server["metadata"], at=(*at, "metadata"))
    for field in server:
        if field in _RULES:
            builder.lose_rule((*at, field), "says which tools may be used, or how access is given")
    builder.lose_rest(server, known=_OWN | _RULES, at=at)


def _put_local(
    builder: CandidateBuilder, server: Mapping[str, Any], *, path: Path, at: Path
) -> None:
    command = server["command"]
    if isinstance(command, list) and command:
        builder.put((*path, "command"), command[0], at=(*at, "command", 0))
        words = [(one, (*at, "command", number)) for number, one in enumerate(command)][1:]
    else:
        builder.put((*path, "command"), command, at=(*at, "command"))
        words = []
    own = server.get("args", [])
    if not isinstance(own, list):
        builder.refuse((*at, "args"), "must be a list.")
        own = []
    _put_args(builder, [*words, *_placed(own, (*at, "args"))], path=path)
    for field in _ENVS:
        if field in server:
            put_values(builder, server[field], path=(*path, "env"), at=(*at, field))
    for name, place in _placed(server.get("env_vars") or (), (*at, "env_vars")):
        builder.put((*path, "env", str(name)), secret_ref(str(name)), at=place)
    if "cwd" in server:
        builder.put((*path, "cwd"), server["cwd"], at=(*at, "cwd"))
    for field in (*_URLS, *_HEADERS):
        if field in server:
            builder.lose((*at, field), "does not belong to a server that is run by a command")


def _placed(values: Iterable[Any], at: Path) -> list[tuple[Any, Path]]:
    return [(one, (*at, number)) for number, one in enumerate(values)]


def _put_args(builder: CandidateBuilder, args: list[tuple[Any, Path]], *, path: Path) -> None:
    for arg, place in args:
        made = config_value(builder, arg, at=place)
        if made is not None:
            builder.add((*path, "args"), made, at=place)


def _put_remote(
    builder: CandidateBuilder, server: Mapping[str, Any], *, path: Path, at: Path
) -> None:
    field = next((one for one in _URLS if one in server), None)
    if field is None:
        builder.refuse(at, "needs command (a local server) or url (a remote one).")
        return
    builder.put((*path, "url"), server[field], at=(*at, field))
    headers = (*path, "headers")
    for name in _HEADERS:
        if name in server:
            put_values(builder, server[name], path=headers, at=(*at, name))
    token = server.get("bearer_token_env_var")
    if token is not None:
        made = secret_ref(str(token), is_bearer=True)
        builder.put((*headers, "Authorization"), made, at=(*at, "bearer_token_env_var"))
    named = server.get("env_http_headers")
    for name, variable in (named if isinstance(named, Mapping) else {}).items():
        place = (*at, "env_http_headers", name)
        builder.put((*headers, str(name)), secret_ref(str(variable)), at=place)
    for name in ("args", *_ENVS, "cwd"):
        if name in server:
            builder.lose((*at, name), "does not belong to a server that is reached by an address")


def _put_transport(
    builder: CandidateBuilder, server: Mapping[str, Any], *, path: Path, at: Path
) -> None:
    for field in ("type", "transport"):
        kind = server.get(field)
        if kind is None or kind in ("remote", "local"):
            continue
        if not isinstance(kind, str) or kind not in _TRANSPORTS:
            builder.refuse((*at, field), "must be stdio, sse or http.")
        else:
            builder.put((*path, "transport"), _TRANSPORTS[kind], at=(*at, field))
