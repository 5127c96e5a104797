"""A profile's body: the text it is stored as, and the facts of it that lists and searches need."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from fleets.domain.json_lines import nodes

# Words that stand where an id stands in the addresses of the catalog's pages.
RESERVED: Final = frozenset({"new", "import", "export", "bulk", "skills", "following", "platform"})
_MOST_SEARCHED: Final = 200_000
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def body_text(body: Mapping[str, Any]) -> str:
    """The one text a body is stored and exported as: key order kept, two spaces of indent.

    Half a character in a value is written as its escape: it can be stored, and reads back the same.
    """
    text = json.dumps(body, ensure_ascii=False, indent=2)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


@dataclass(frozen=True, slots=True)
class ProfileFacts:
    """What lists show of a body, and the small-lettered text that searches look into."""

    name: str
    description: str
    harness: str
    model: str
    tags: tuple[str, ...]
    skills: int
    mcp_servers: int
    search_text: str


def facts_of(body: Mapping[str, Any]) -> ProfileFacts:
    """The facts of a body that the schema accepts."""
    resources = body.get("resources") or {}
    model = body.get("model") or {}
    return ProfileFacts(
        name=storable(body.get("name", "")),
        description=storable(body.get("description", "")),
        harness=body.get("harness", ""),
        model=storable(model.get("default", "")),
        tags=tuple(storable(tag) for tag in body.get("tags", ())),
        skills=len(resources.get("skills", ())),
        mcp_servers=len(body.get("mcp") or {}),
        search_text=storable("\n".join(_searched(body))).lower()[:_MOST_SEARCHED],
    )


def _searched(body: Mapping[str, Any]) -> Iterator[str]:
    """Names, prompts, skills, hosts of MCP servers and names of secrets."""
    prompt = body.get("prompt") or {}
    yield from (body.get("name", ""), body.get("description", ""), *body.get("tags", ()))
    yield from (prompt.get("systemPrompt", ""), prompt.get("appendSystemPrompt", ""))
    yield from prompt.get("instructions", ())
    yield from _resources(body.get("resources") or {})
    for name, server in (body.get("mcp") or {}).items():
        yield f"{name} {server.get('command', '')} {_host(server.get('url', ''))}"
    for _, one in nodes(body):
        if isinstance(one, Mapping) and one.get("kind") == "secret-ref":
            yield str(one.get("key", ""))
    yield from (body.get("subagents") or {})


def _resources(resources: Mapping[str, Any]) -> Iterator[str]:
    own = resources.get("instructions", "")
    refs = [own] if isinstance(own, Mapping) else []
    if isinstance(own, str):
        yield own
    for kind in ("skills", "agents", "commands", "tools"):
        refs += resources.get(kind, ())
    refs += [mount["resource"] for mount in resources.get("files", ())]
    for ref in refs:
        yield " ".join((ref.get("name", ""), ref.get("path", ""), ref.get("content", "")))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def storable(text: str) -> str:
    """The text without what a column of text cannot hold."""
    return _SURROGATE.sub("\ufffd", text).replace("\0", "\ufffd")
