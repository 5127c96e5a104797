"""Hooks as Claude Code writes them: by event, a matcher and commands, times in seconds."""

from collections.abc import Mapping
from typing import Any, Final

from fleets.domain.json_lines import Path
from fleets.domain.profile_import.candidate_builder import CandidateBuilder

_MS_PER_S: Final = 1_000
_KNOWN: Final = frozenset({"type", "command", "timeout"})


def put_hooks(builder: CandidateBuilder, hooks: Any, *, at: Path) -> None:
    """All events of a file."""
    if not isinstance(hooks, Mapping):
        builder.refuse(at, "must be lists of hooks by event.")
        return
    for event, groups in hooks.items():
        for number, group in enumerate(groups if isinstance(groups, list) else [groups]):
            _put_group(builder, event, group, at=(*at, event, number))


def _put_group(builder: CandidateBuilder, event: str, group: Any, *, at: Path) -> None:
    if not isinstance(group, Mapping) or not isinstance(group.get("hooks"), list):
        builder.lose_rule(at, "is no hook that a profile can hold")
        return
    for number, hook in enumerate(group["hooks"]):
        place = (*at, "hooks", number)
        if not isinstance(hook, Mapping) or hook.get("type", "command") != "command":
            builder.lose_rule(place, "only hooks that run a command have a place in a profile")
            continue
        made = {"command": hook.get("command")}
        if isinstance(hook.get("timeout"), int | float):
            made["timeoutMs"] = hook["timeout"] * _MS_PER_S
        if "matcher" in group:
            made["matcher"] = group["matcher"]
        builder.add(("hooks", event), made, at=place)
        builder.lose_rest(hook, known=_KNOWN, at=place)
