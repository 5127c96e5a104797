"""A profile's body in the order in which people read it: facts, prompts, what it brings along.

Everything of the body appears somewhere: what has no place of its own is in `rest`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.profile_body import body_text

_MODEL_FACTS: Final = (
    ("default", "Model"),
    ("small", "Small model"),
    ("provider", "Provider"),
    ("reasoningEffort", "Effort"),
    ("maxVisibleOutputTokens", "Visible tokens, at most"),
    ("maxReasoningTokens", "Reasoning tokens, at most"),
    ("maxTotalOutputTokens", "All output tokens, at most"),
)
_RESOURCES: Final = ("skills", "agents", "commands", "tools")
_SHOWN: Final = {
    *("name", "description", "version", "tags", "harness", "prompt", "mcp", "permissions"),
    *("tools", "subagents"),
}


@dataclass(frozen=True, slots=True)
class Resource:
    """A skill, file or the like: what kind, its name, where it comes from, its text if inline."""

    kind: str
    name: str
    origin: str
    text: str


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server: local, remote or off; its command or address; the secrets it names."""

    name: str
    kind: str
    where: str
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The body by subject; pairs are (label, value)."""

    facts: tuple[tuple[str, str], ...]
    texts: tuple[tuple[str, str], ...]
    resources: tuple[Resource, ...]
    servers: tuple[Server, ...]
    permissions: tuple[tuple[str, str], ...]
    tools: tuple[tuple[str, bool], ...]
    subagents: tuple[tuple[str, str], ...]
    rest: str


def outline(body: Mapping[str, Any]) -> Outline:
    """The outline of a body that the schema accepts."""
    return Outline(
        facts=tuple(_facts(body)),
        texts=tuple(_texts(body)),
        resources=tuple(_resources(body.get("resources") or {})),
        servers=tuple(_server(name, one) for name, one in (body.get("mcp") or {}).items()),
        permissions=tuple(_permissions(body.get("permissions") or {})),
        tools=tuple((body.get("tools") or {}).items()),
        subagents=tuple(
            (name, one.get("description", ""))
            for name, one in (body.get("subagents") or {}).items()
        ),
        rest=_rest(body),
    )


def _facts(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if body.get("harness"):
        yield "Harness", body["harness"]
    model = body.get("model") or {}
    for key, label in _MODEL_FACTS:
        if key in model:
            value = model[key]
            yield label, value if isinstance(value, str) else f"{value:,}"
    if body.get("version"):
        yield "Version", body["version"]


def _texts(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    prompt = body.get("prompt") or {}
    if prompt.get("systemPrompt"):
        yield "System prompt, replaces the harness's own", prompt["systemPrompt"]
    if prompt.get("appendSystemPrompt"):
        yield "Added to the system prompt", prompt["appendSystemPrompt"]
    for at, text in enumerate(prompt.get("instructions", ()), start=1):
        yield (f"Instructions {at}" if len(prompt["instructions"]) > 1 else "Instructions"), text
    own = (body.get("resources") or {}).get("instructions")
    if isinstance(own, str):
        yield "Instructions file", own


def _resources(resources: Mapping[str, Any]) -> Iterator[Resource]:
    for kind in _RESOURCES:
        for ref in resources.get(kind, ()):
            yield _resource(kind.removesuffix("s"), ref)
    for mount in resources.get("files", ()):
        found = _resource("file", mount["resource"])
        yield Resource("file", mount["path"], found.origin, found.text)
    own = resources.get("instructions")
    if isinstance(own, Mapping):
        yield _resource("instructions", own)


def _resource(kind: str, ref: Mapping[str, Any]) -> Resource:
    if ref["kind"] == "inline":
        return Resource(kind, ref["name"], "inline", ref["content"])
    where = "/".join(part for part in (ref.get("repository", ""), ref["path"]) if part)
    version = f" at {ref['ref']}" if ref.get("ref") else ""
    return Resource(kind, ref.get("name") or ref["path"], f"{where}{version}", "")


def _server(name: str, server: Mapping[str, Any]) -> Server:
    if server.get("enabled") is False:
        return Server(name, "off", "", ())
    values = (*server.get("args", ()), *_values(server, "env"), *_values(server, "headers"))
    secrets = tuple(one["key"] for one in values if one["kind"] == "secret-ref")
    if "url" in server:
        return Server(name, "remote", server["url"], secrets)
    shown = [one.get("value", "•••") for one in server.get("args", ())]
    return Server(name, "local", " ".join([server["command"], *shown]), secrets)


def _values(server: Mapping[str, Any], field: str) -> tuple[Mapping[str, Any], ...]:
    return tuple((server.get(field) or {}).values())


def _permissions(permissions: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, decision in permissions.items():
        if isinstance(decision, str):
            yield name, decision
        else:
            yield from ((f"{name}: {what}", one) for what, one in decision.items())


def _rest(body: Mapping[str, Any]) -> str:
    rest = {key: one for key, one in body.items() if key not in _SHOWN}
    known = {key for key, _ in _MODEL_FACTS}
    model = {key: one for key, one in (body.get("model") or {}).items() if key not in known}
    fail = {key: one for key, one in (body.get("resources") or {}).items() if key == "failOnError"}
    for key, left in (("model", model), ("resources", fail)):
        rest.pop(key, None)
        if left:
            rest[key] = left
    agents = {
        name: {key: one for key, one in agent.items() if key != "description"}
        for name, agent in (body.get("subagents") or {}).items()
    }
    if any(agents.values()):
        rest["subagents"] = agents
    return body_text(rest) if rest else ""
