"""Claude Code's `settings.json`: permission rules by pattern, hooks and the model."""

from collections.abc import Mapping
from typing import Any, Final

from fleets.domain.profile_import import permissions
from fleets.domain.profile_import.candidate import Candidate
from fleets.domain.profile_import.candidate_builder import CandidateBuilder, Source
from fleets.domain.profile_import.hooks import put_hooks
from fleets.domain.profile_import.opencode import folder_name

_KNOWN: Final = frozenset({"$schema", "permissions", "hooks", "model"})


def is_settings(value: Mapping[str, Any]) -> bool:
    """Whether rules stand in it by decision, as nothing else writes them."""
    rules = value.get("permissions")
    return isinstance(rules, Mapping) and any(
        isinstance(rules.get(decision), list) for decision in permissions.DECISIONS
    )


def read_settings(source: Source) -> Candidate:
    """The profile of one file of settings."""
    builder = CandidateBuilder(source)
    value = source.value
    name = folder_name(source.place, "claude-code")
    builder.put(("name",), name, at=())
    builder.put(("harness",), "claude-code", at=())
    if "model" in value:
        builder.put(("model", "default"), value["model"], at=("model",))
    rules = value["permissions"]
    for decision in permissions.DECISIONS:
        listed = rules.get(decision)
        placed = [
            (str(rule), ("permissions", decision, number))
            for number, rule in enumerate(listed if isinstance(listed, list) else ())
        ]
        permissions.put_patterns(builder, placed, decision)
    for field in rules:
        if field not in permissions.DECISIONS:
            builder.lose_rule(("permissions", field), "has no place in a profile")
    if "hooks" in value:
        put_hooks(builder, value["hooks"], at=("hooks",))
    builder.lose_rest(value, known=_KNOWN)
    return builder.finish(name=name)
