"""The fields of one agent in a file: each read by itself, problems with their place."""

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fleets.domain.agent_plan import AgentAsked, ModelAsked
from fleets.domain.credentials import find_credentials
from fleets.domain.harnesses import HARNESSES
from fleets.domain.ids import AGENT_ID
from fleets.domain.json_lines import Path
from fleets.domain.placement_input import MOST_PER_MACHINE, placement_of_json
from fleets.domain.profile_refs import ProfileRef, ref_of_json
from fleets.domain.profile_schema.profile import check_profile
from fleets.domain.profile_schema.shapes import LARGEST_SAFE, kind_of
from fleets.domain.profile_schema.texts import is_env_name
from fleets.domain.profile_schema.urls import parse_url
from fleets.domain.raw_keys import is_key_name
from fleets.domain.spec_fields import MAX_PROMPT_BYTES, is_model_id, shorten

FIELDS: Final = ("agentId", "harness", "model", "profile", "task", "placement")
MODEL_FIELDS: Final = (
    "model", "provider", "baseUrl", "apiKeyEnv", "maxThinkingTokens", "mode", "authMode",
)  # fmt: skip
_MODES: Final[Mapping[str, Collection[str]]] = {
    "mode": ("api", "cli"),
    "authMode": ("api-key", "oauth"),
}


@dataclass(slots=True)
class Read:
    """One agent as far as it can be read, and what is wrong with it."""

    agent: AgentAsked
    problems: list[tuple[Path, str]] = field(default_factory=list)


def read_fields(entry: Any, *, at: int) -> Read:
    """Read the agent at this index of the list."""
    read = Read(AgentAsked(agent_id=f"agent-{at + 1}"))
    if not isinstance(entry, dict):
        words = f"an agent is an object, not {kind_of(entry)}."
        read.problems.append(((at,), words))
        return read
    _refuse_unknown(entry, known=FIELDS, path=(at,), read=read)
    read.agent = AgentAsked(
        agent_id=_agent_id(entry, at, read),
        harness=_harness(entry, at, read),
        model=_model(entry, at, read),
        profile=_profile(entry, at, read),
        task=_task(entry, at, read),
        placement=_placement(entry, at, read),
        ref=_reference(entry, at, read),
    )
    return read


def _refuse_unknown(
    entry: Mapping[str, Any], *, known: Collection[str], path: Path, read: Read
) -> None:
    for name in entry:
        if name in known or is_key_name(name):
            continue  # a raw key is refused by its own name
        near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
        hint = f"Did you mean {near[0]}?" if near else f"Known are {', '.join(known)}."
        shown = "" if find_credentials(name) else f" “{shorten(name)}”"
        read.problems.append(((*path, name), f"there is no field{shown} here. {hint}"))


def _agent_id(entry: Mapping[str, Any], at: int, read: Read) -> str:
    if "agentId" not in entry:
        return f"agent-{at + 1}"
    value = entry["agentId"]
    if isinstance(value, str) and AGENT_ID.fullmatch(value):
        return value
    words = "an id has letters, digits, . _ and -, at most 63, and starts with a letter or digit."
    read.problems.append(((at, "agentId"), words))
    return ""


def _harness(entry: Mapping[str, Any], at: int, read: Read) -> str | None:
    value = entry.get("harness")
    if "harness" not in entry or (isinstance(value, str) and value in HARNESSES):
        return value
    near = difflib.get_close_matches(str(value).lower(), list(HARNESSES), n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}?" if near else f"Known are {', '.join(HARNESSES)}."
    read.problems.append(((at, "harness"), f"there is no such harness. {hint}"))
    return None


def _model(entry: Mapping[str, Any], at: int, read: Read) -> ModelAsked:
    value = entry.get("model")
    path: Path = (at, "model")
    if "model" not in entry:
        return ModelAsked()
    if isinstance(value, str):
        return ModelAsked(_model_id(value, path, read))
    if not isinstance(value, dict):
        words = f"a model is its id or an object {{model, apiKeyEnv, …}}, not {kind_of(value)}."
        read.problems.append((path, words))
        return ModelAsked()
    _refuse_unknown(value, known=MODEL_FIELDS, path=path, read=read)
    name = _model_id(value["model"], (*path, "model"), read) if "model" in value else None
    options = {key: value[key] for key in MODEL_FIELDS[1:] if key in value}
    for key, one in options.items():
        words = _option_problem(key, one)
        if words:
            read.problems.append(((*path, key), words))
    return ModelAsked(name, options)


def _model_id(value: Any, path: Path, read: Read) -> str | None:
    if isinstance(value, str) and is_model_id(value):
        return value
    read.problems.append((path, "this is no model id; right would be gpt-4.1-mini or zai/glm-5.3."))
    return None


def _option_problem(name: str, value: Any) -> str:
    if name == "maxThinkingTokens":
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return "" if is_whole and 0 < value <= LARGEST_SAFE else "must be a whole number from 1."
    if not isinstance(value, str) or not value:
        return f"must be text, not {kind_of(value)}." if not isinstance(value, str) else "is empty."
    if name == "apiKeyEnv" and not is_env_name(value):
        return "must be the name of a variable of the machine, such as OPENAI_API_KEY."
    if name == "baseUrl":
        url = parse_url(value)
        return "" if url and url.scheme in ("http", "https") else "must be an http(s) address."
    if name in _MODES and value not in _MODES[name]:
        return f"must be {' or '.join(_MODES[name])}."
    return ""


def _profile(entry: Mapping[str, Any], at: int, read: Read) -> Mapping[str, Any] | None:
    value = entry.get("profile")
    if "profile" not in entry or _is_reference(value):
        return None
    checked = check_profile(value)
    for issue in checked.issues:
        # A key refused by its own name needs no second word.
        keys = tuple(key for key in issue.keys if not is_key_name(key))
        if issue.keys and not keys:
            continue
        names = ", ".join(f"“{shorten(key)}”" for key in keys if not find_credentials(key))
        words = f"{names} {issue.message}".strip()
        path = (*issue.path, keys[0]) if keys else issue.path
        read.problems.append(((at, "profile", *path), f"{words} ({issue.code.value})."))
    return None if checked.issues else checked.profile


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and "profileId" in value)


def _reference(entry: Mapping[str, Any], at: int, read: Read) -> ProfileRef | None:
    value = entry.get("profile")
    if not _is_reference(value):
        return None
    words = (
        'a saved profile is named {"profileId": "code-reviewer"}, with revision, fixed or label.'
    )
    found = ref_of_json(value) if isinstance(value, dict) else words
    if isinstance(found, str):
        read.problems.append(((at, "profile"), found))
        return None
    return found


def _task(entry: Mapping[str, Any], at: int, read: Read) -> str | None:
    value = entry.get("task")
    if "task" not in entry:
        return None
    words = ""
    if not isinstance(value, str):
        words = f"a task is text, not {kind_of(value)}."
    elif not value.strip():
        words = "the task is empty."
    elif len(value.encode("utf-8", "surrogatepass")) > MAX_PROMPT_BYTES:
        words = "the task is too long: at most 64 KiB fit."
    if words:
        read.problems.append(((at, "task"), words))
        return ""
    return str(value)


def _placement(entry: Mapping[str, Any], at: int, read: Read) -> Any:
    if "placement" not in entry:
        return None
    rule = placement_of_json(entry["placement"])
    if rule is None:
        words = (
            f"placement is “auto”, “dedicated” or {{“agentsPerSandbox”: 1 to {MOST_PER_MACHINE}}}."
        )
        read.problems.append(((at, "placement"), words))
    return rule
