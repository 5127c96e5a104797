"""Short words for what the schema says of a profile."""

from typing import Any

from fleets.domain.profile_schema.profile import check_profile
from fleets.domain.profile_schema.shapes import show_path


def said(profile: Any) -> list[tuple[str, str]]:
    """Code and path of every issue, in the order reported."""
    return [(issue.code.value, show_path(issue.path)) for issue in check_profile(profile).issues]


def passes(profile: Any) -> bool:
    """Whether there is nothing against it."""
    return not check_profile(profile).issues


def ref(**more: Any) -> dict[str, Any]:
    """An inline resource."""
    return {"kind": "inline", "name": "n", "content": "c", **more}


def local(**more: Any) -> dict[str, Any]:
    """A profile with one local server."""
    return {"mcp": {"s": {"command": "node", **more}}}


def remote(url: Any = "https://example.org/mcp", **more: Any) -> dict[str, Any]:
    """A profile with one remote server."""
    return {"mcp": {"s": {"url": url, **more}}}


def variable(name: str, value: Any) -> dict[str, Any]:
    """A profile with one local server that has one variable."""
    return local(env={name: value})


def public(value: Any) -> dict[str, Any]:
    """A profile with one public argument."""
    return local(args=[{"kind": "public", "value": value}])


def secret(key: Any, **more: Any) -> dict[str, Any]:
    """A profile with one argument that names a secret."""
    return local(args=[{"kind": "secret-ref", "key": key, **more}])
