"""Markdown agent files: front matter of Claude Code or opencode, the system prompt below it.

`tools` is a list of the only tools allowed in the one and a map of switches in the other.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import Path
from fleets.domain.profile_import import permissions
from fleets.domain.profile_import.candidate import Candidate
from fleets.domain.profile_import.candidate_builder import CandidateBuilder, Source, refused
from fleets.domain.profile_import.front_matter import BODY, read_front_matter
from fleets.domain.profile_import.hooks import put_hooks
from fleets.domain.profile_import.mcp_servers import put_server, put_servers
from fleets.domain.profile_import.upload import TextFile
from fleets.domain.profile_schema.profile import EFFORTS

ALL_TOOLS: Final = "*"
_PIECE: Final = re.compile(r"[^,\n()]+|[(),\n]")
_HARNESSES: Final[Mapping[str, str]] = {".claude": "claude-code", ".opencode": "opencode"}
_KNOWN: Final = frozenset(
    {
        *("profileId", "name", "description", "model", "effort", "tools", "disallowedTools"),
        *("permission", "permissions", "mcpServers", "hooks", "prompt", "system", "tags"),
        *("version", "harness", "skills"),
    }
)
_RULES: Final[Mapping[str, str]] = {
    "permissionMode": "how the program asks before it acts has no place in a profile",
    "maxTurns": "a limit of steps has no place in a profile of its own",
    "steps": "a limit of steps has no place in a profile of its own",
    "maxSteps": "a limit of steps has no place in a profile of its own",
    "isolation": "where it works apart has no place in a profile",
    "disable": "that it is switched off has no place in a profile",
    "disabled": "that it is switched off has no place in a profile",
}


def read_markdown(file: TextFile, *, skills: Mapping[str, str]) -> Candidate:
    """The agent of one file. `skills`: texts by name of what was uploaded with it."""
    try:
        matter = read_front_matter(file.text, place=file.path)
    except InvalidInput as error:
        return refused(file.path, error)
    builder = CandidateBuilder(Source(file.path, matter.value, matter.line_of))
    fields = matter.fields
    if matter.was_repaired:
        builder.notes.append("A line of the front matter was no YAML and was taken as plain text.")
    for field in ("name", "description", "version", "tags", "harness"):
        if field in fields:
            builder.put((field,), fields[field], at=(field,))
    _put_prompt(builder, fields, matter.text)
    _put_model(builder, fields)
    _put_harness(builder, file)
    _put_tools(builder, fields)
    _put_rest(builder, fields, skills=skills)
    stem = PurePosixPath(file.file_name).stem
    name = fields["name"] if isinstance(fields.get("name"), str) else stem
    if "name" not in fields:
        builder.put(("name",), stem, at=())
    slug = fields.get("profileId", "")
    return builder.finish(name=name, slug=slug if isinstance(slug, str) else "-")


def _put_prompt(builder: CandidateBuilder, fields: Mapping[str, Any], text: str) -> None:
    own = next((field for field in ("prompt", "system") if field in fields), None)
    if own is not None and not text.strip():
        builder.put(("prompt", "systemPrompt"), fields[own], at=(own,))
    elif text.strip():
        builder.put(("prompt", "systemPrompt"), text, at=(BODY,))
        if own is not None:
            builder.lose((own,), "the text below the front matter stands in its place")


def _put_model(builder: CandidateBuilder, fields: Mapping[str, Any]) -> None:
    model = fields.get("model")
    if "model" in fields and model != "inherit":
        put_model(builder, model, at=("model",))
    effort = fields.get("effort")
    if effort in EFFORTS:
        builder.put(("model", "reasoningEffort"), effort, at=("effort",))
    elif "effort" in fields:
        builder.lose(("effort",), "is no effort that a profile knows")


def put_model(builder: CandidateBuilder, model: Any, *, at: Path) -> None:
    """A model by name, with the effort after a hash as opencode writes it."""
    name, _, effort = model.partition("#") if isinstance(model, str) else (model, "", "")
    builder.put(("model", "default"), name, at=at)
    if effort in EFFORTS and effort:
        builder.put(("model", "reasoningEffort"), effort, at=at)
    elif effort:
        builder.lose(at, "what stands after # is no effort that a profile knows")


def _put_harness(builder: CandidateBuilder, file: TextFile) -> None:
    found = [_HARNESSES[folder] for folder in file.folders if folder in _HARNESSES]
    if found and "harness" not in builder.body:
        builder.put(("harness",), found[-1], at=())


def _put_tools(builder: CandidateBuilder, fields: Mapping[str, Any]) -> None:
    tools = fields.get("tools")
    if isinstance(tools, Mapping):
        for name, switch in tools.items():
            builder.put(("tools", name), switch, at=("tools", name))
    elif isinstance(tools, list | str):
        names = _names(tools, at=("tools",))
        if ALL_TOOLS not in {name for name, _ in names}:
            _put_only(builder, names)
    elif "tools" in fields:
        builder.lose_rule(("tools",), "is neither a list of tools nor switches")
    forbidden = _names(fields.get("disallowedTools"), at=("disallowedTools",))
    permissions.put_patterns(builder, forbidden, "deny")
    for field in ("permission", "permissions"):
        if field in fields:
            _put_permissions(builder, fields[field], at=(field,))


def _put_only(builder: CandidateBuilder, tools: list[tuple[str, Path]]) -> None:
    """A list of the only tools allowed: everything else is switched off."""
    builder.put(("tools", ALL_TOOLS), False, at=("tools",))
    for rule, at in tools:
        tool, pattern = permissions.split_pattern(rule)
        builder.put(("tools", tool), True, at=at)
        if pattern:
            permissions.put_rule(builder, tool, "*", "deny", at=at)
            permissions.put_rule(builder, tool, pattern, "allow", at=at)
    words = 'was the list of all tools allowed; kept as switches with "*": false for the others'
    builder.lose_rule(("tools",), words)


def _put_permissions(builder: CandidateBuilder, rules: Any, *, at: Path) -> None:
    """A map by tool, or lists of patterns by decision."""
    if isinstance(rules, Mapping) and rules and set(rules) <= set(permissions.DECISIONS):
        for decision in permissions.DECISIONS:
            permissions.put_patterns(
                builder, _names(rules.get(decision), at=(*at, decision)), decision
            )
        return
    permissions.put_map(builder, rules, at=at)


def _put_rest(
    builder: CandidateBuilder, fields: Mapping[str, Any], *, skills: Mapping[str, str]
) -> None:
    servers = fields.get("mcpServers")
    if isinstance(servers, Mapping):
        put_servers(builder, servers, at=("mcpServers",))
    for number, one in enumerate(servers if isinstance(servers, list) else ()):
        place = ("mcpServers", number)
        if isinstance(one, Mapping):
            for name, server in one.items():
                put_server(builder, name, server, at=(*place, name))
        else:
            builder.lose(place, "names a server that is described elsewhere: import it too")
    for skill, at in _names(fields.get("skills"), at=("skills",)):
        if skill in skills:
            ref = {"kind": "inline", "name": skill, "content": skills[skill]}
            builder.add(("resources", "skills"), ref, at=at)
        else:
            builder.lose(at, "names a skill whose SKILL.md was not uploaded with it")
    if "hooks" in fields:
        put_hooks(builder, fields["hooks"], at=("hooks",))
    for field, words in _RULES.items():
        if field in fields:
            builder.lose_rule((field,), words)
    builder.lose_rest(fields, known=_KNOWN | frozenset(_RULES))


def _names(value: Any, *, at: Path) -> list[tuple[str, Path]]:
    """Names in a list, or in one line with commas, each with its place."""
    if isinstance(value, str):
        return [(name, at) for name in _between_commas(value)]
    if isinstance(value, list):
        return [(str(one).strip(), (*at, number)) for number, one in enumerate(value)]
    return []


def _between_commas(line: str) -> list[str]:
    """The parts of a line; a comma in brackets belongs to its part."""
    parts, depth = [""], 0
    for piece in _PIECE.findall(line):
        if piece in ",\n" and not depth:
            parts.append("")
            continue
        depth = max(0, depth + (piece == "(") - (piece == ")"))
        parts[-1] += piece
    return [part.strip() for part in parts if part.strip()]
