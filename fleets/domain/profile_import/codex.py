"""codex's configuration (`config.toml`) and its agent files: one profile each, and one for every
`[profiles.NAME]` of a configuration, read over its common part.

How far codex may go alone (`approval_policy`, `sandbox_mode`) has no place in a profile.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import Path
from fleets.domain.profile_import.candidate import Candidate
from fleets.domain.profile_import.candidate_builder import CandidateBuilder, Source, refused
from fleets.domain.profile_import.mcp_servers import put_servers
from fleets.domain.profile_import.opencode import folder_name
from fleets.domain.profile_import.own_documents import PASTED
from fleets.domain.profile_import.toml_lines import read_toml
from fleets.domain.profile_import.upload import TextFile

# Fields that are the same under another name.
_SAME: Final[Mapping[str, Path]] = {
    "model": ("model", "default"),
    "model_provider": ("model", "provider"),
    "model_reasoning_effort": ("model", "reasoningEffort"),
    "model_max_output_tokens": ("model", "maxTotalOutputTokens"),
    "developer_instructions": ("prompt", "appendSystemPrompt"),
    "instructions": ("prompt", "systemPrompt"),
    "description": ("description",),
}
_RULES: Final = frozenset(
    {
        *("approval_policy", "approvals_reviewer", "sandbox_mode", "sandbox_workspace_write"),
        *("permissions", "default_permissions", "shell_environment_policy", "projects", "rules"),
        *("network_access", "disable_response_storage", "apps", "features"),
    }
)
_KNOWN: Final = frozenset({*_SAME, "name", "profileId", "mcp_servers", "profiles", "tools"})


def read_codex(file: TextFile) -> list[Candidate]:
    """The profiles of one file, the common one first."""
    try:
        read = read_toml(file.text, place=file.path)
    except InvalidInput as error:
        return [refused(file.path, error)]
    source = Source(file.path, read.value, read.line_of)
    stem = PurePosixPath(file.file_name).stem
    name = read.value.get("name")
    if not isinstance(name, str):
        name = folder_name(file.path, "codex") if stem in ("config", PASTED) else stem
    found = [_read(source, read.value, name=name)]
    profiles = read.value.get("profiles")
    for key, own in (profiles if isinstance(profiles, Mapping) else {}).items():
        if isinstance(own, Mapping):
            found.append(_variant(source, key, own, name=name))
    return found


def _variant(source: Source, key: str, own: Mapping[str, Any], *, name: str) -> Candidate:
    """A named profile: what it says stands above the common part."""
    common = {one: value for one, value in source.value.items() if one not in ("profiles", "name")}
    merged = {**common, **own}

    def line_of(path: Path) -> int:
        is_own = path and path[0] in own
        return source.line_of(("profiles", key, *path) if is_own or not path else path)

    place = replace(source, value=merged, line_of=line_of, place=f"{source.place}, {key}")
    return _read(place, merged, name=f"{name} {key}")


def _read(source: Source, value: Mapping[str, Any], *, name: str) -> Candidate:
    builder = CandidateBuilder(source)
    builder.put(("name",), name, at=("name",))
    builder.put(("harness",), "codex", at=())
    for field, path in _SAME.items():
        if field in value:
            builder.put(path, value[field], at=(field,))
    if "mcp_servers" in value:
        put_servers(builder, value["mcp_servers"], at=("mcp_servers",))
    _put_tools(builder, value.get("tools"))
    for field in value:
        if field in _RULES:
            builder.lose_rule((field,), "how far it may go alone has no place in a profile")
    builder.lose_rest(value, known=_KNOWN | _RULES)
    slug = value.get("profileId", "")
    return builder.finish(name=name, slug=slug if isinstance(slug, str) else "-")


def _put_tools(builder: CandidateBuilder, tools: Any) -> None:
    for name, switch in (tools if isinstance(tools, Mapping) else {}).items():
        if isinstance(switch, bool):
            builder.put(("tools", name), switch, at=("tools", name))
        else:
            builder.lose_rule(("tools", name), "is no switch")
