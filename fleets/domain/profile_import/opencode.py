"""opencode's configuration with its agents, in the shapes of its versions 1 and 2: one profile.

Agents that are called become subagents, those a person switches to become modes; `all` is both.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from fleets.domain.json_lines import Path
from fleets.domain.profile_import import permissions
from fleets.domain.profile_import.candidate import Candidate
from fleets.domain.profile_import.candidate_builder import CandidateBuilder, Source
from fleets.domain.profile_import.markdown_agents import put_model
from fleets.domain.profile_import.mcp_servers import put_servers

SIGNS: Final = frozenset(
    {
        *("agent", "agents", "small_model", "permission", "provider", "autoupdate", "share"),
        *("keybinds", "default_agent", "mode", "theme", "plugin"),
    }
)
_KNOWN: Final = frozenset(
    {
        *("$schema", "model", "small_model", "permission", "permissions", "tools", "mcp"),
        *("agent", "agents", "mode", "instructions", "command", "commands", "name", "description"),
    }
)
_KNOWN_OF_AGENT: Final = frozenset(
    {
        *("description", "model", "prompt", "system", "tools", "permission", "permissions"),
        *("steps", "maxSteps", "mode", "name"),
    }
)
_KNOWN_OF_COMMAND: Final = frozenset({"template", "description"})
_FILE_MARK: Final = "{file:"


def read_opencode(source: Source, *, texts: Mapping[str, str]) -> Candidate:
    """The profile of one configuration. `texts`: what was uploaded with it, by path."""
    builder = CandidateBuilder(source)
    value = source.value
    if isinstance(value.get("name"), str):
        builder.put(("name",), value["name"], at=("name",))
    if "description" in value:
        builder.put(("description",), value["description"], at=("description",))
    builder.put(("harness",), "opencode", at=())
    if "model" in value:
        put_model(builder, value["model"], at=("model",))
    if "small_model" in value:
        builder.put(("model", "small"), value["small_model"], at=("small_model",))
    _put_rights(builder, value, at=(), under=())
    if "mcp" in value:
        servers = value["mcp"]
        is_nested = isinstance(servers, Mapping) and isinstance(servers.get("servers"), Mapping)
        at: Path = ("mcp", "servers") if is_nested else ("mcp",)
        put_servers(builder, servers["servers"] if is_nested else servers, at=at)
    for field in ("agent", "agents", "mode"):
        _put_agents(builder, value.get(field), at=(field,), texts=texts)
    _put_instructions(builder, value.get("instructions"), texts=texts)
    for field in ("command", "commands"):
        _put_commands(builder, value.get(field), at=(field,))
    builder.lose_rest(value, known=_KNOWN)
    return builder.finish(name=builder.body.get("name") or folder_name(source.place, "opencode"))


def folder_name(place: str, otherwise: str) -> str:
    """What a configuration is called that has no name: as the folder it lies in."""
    folders = [part for part in PurePosixPath(place).parts[:-1] if not part.startswith(".")]
    return folders[-1] if folders else otherwise


def _put_rights(
    builder: CandidateBuilder, value: Mapping[str, Any], *, at: Path, under: Path
) -> None:
    tools = value.get("tools")
    if isinstance(tools, Mapping):
        for name, switch in tools.items():
            builder.put((*under, "tools", name), switch, at=(*at, "tools", name))
    elif "tools" in value:
        builder.lose_rule((*at, "tools"), "is no map of switches")
    for field in ("permission", "permissions"):
        if field in value:
            permissions.put_map(builder, value[field], at=(*at, field), under=under)


def _put_agents(
    builder: CandidateBuilder, agents: Any, *, at: Path, texts: Mapping[str, str]
) -> None:
    if agents is None:
        return
    if not isinstance(agents, Mapping):
        builder.refuse(at, "must be agents by name.")
        return
    for name, agent in agents.items():
        place = (*at, name)
        if not isinstance(agent, Mapping):
            builder.refuse(place, "must be an object.")
        elif agent.get("disable") is True or agent.get("disabled") is True:
            builder.lose_rule(place, "is switched off: it is left out")
        else:
            for kind in _kinds(agent, at):
                _put_agent(builder, agent, at=place, under=(kind, name), texts=texts)


def _kinds(agent: Mapping[str, Any], at: Path) -> tuple[str, ...]:
    mode = "primary" if at == ("mode",) else agent.get("mode", "all")
    return {"primary": ("modes",), "subagent": ("subagents",)}.get(mode, ("subagents", "modes"))


def _put_agent(
    builder: CandidateBuilder,
    agent: Mapping[str, Any],
    *,
    at: Path,
    under: Path,
    texts: Mapping[str, str],
) -> None:
    builder.put(under, {}, at=at)
    if "description" in agent:
        builder.put((*under, "description"), agent["description"], at=(*at, "description"))
    if "model" in agent:
        model = agent["model"]
        name, _, effort = model.partition("#") if isinstance(model, str) else (model, "", "")
        builder.put((*under, "model"), name, at=(*at, "model"))
        if effort and under[0] == "subagents":
            builder.lose((*at, "model"), "the effort after # has no place in a subagent")
    for field in ("prompt", "system"):
        if field in agent:
            prompt = _text(builder, agent[field], at=(*at, field), texts=texts)
            builder.put((*under, "prompt"), prompt, at=(*at, field))
    _put_rights(builder, agent, at=at, under=under)
    for field in ("steps", "maxSteps"):
        if field in agent and under[0] == "subagents":
            builder.put((*under, "maxSteps"), agent[field], at=(*at, field))
        elif field in agent and agent.get("mode") == "primary":
            builder.lose_rule((*at, field), "a limit of steps has no place in a mode")
    if under[0] == "subagents" or agent.get("mode") == "primary":
        builder.lose_rest(agent, known=_KNOWN_OF_AGENT, at=at)


def _text(builder: CandidateBuilder, value: Any, *, at: Path, texts: Mapping[str, str]) -> Any:
    """The text itself, also where it is said to stand in a file that was uploaded too."""
    if not isinstance(value, str) or _FILE_MARK not in value:
        return value
    found = _uploaded(value.strip().removeprefix(_FILE_MARK).removesuffix("}"), builder, texts)
    if found is None:
        builder.refuse(
            at, "its text is in another file: upload the whole folder, or paste it here."
        )
        return ""
    return found


def _uploaded(path: str, builder: CandidateBuilder, texts: Mapping[str, str]) -> str | None:
    here = PurePosixPath(builder.source.place).parent
    return texts.get(str(here / path.removeprefix("./")))


def _put_instructions(builder: CandidateBuilder, paths: Any, *, texts: Mapping[str, str]) -> None:
    for number, path in enumerate(paths if isinstance(paths, list) else ()):
        at = ("instructions", number)
        found = _uploaded(path, builder, texts) if isinstance(path, str) else None
        if found is None:
            builder.lose(at, "names instructions that were not uploaded with it")
        else:
            builder.add(("prompt", "instructions"), found, at=at)


def _put_commands(builder: CandidateBuilder, commands: Any, *, at: Path) -> None:
    for name, command in (commands if isinstance(commands, Mapping) else {}).items():
        place = (*at, name)
        if isinstance(command, Mapping) and "template" in command:
            ref = {"kind": "inline", "name": name, "content": command["template"]}
            builder.add(("resources", "commands"), ref, at=place)
            builder.lose_rest(command, known=_KNOWN_OF_COMMAND, at=place)
        else:
            builder.lose(place, "is no command with a template")
