"""Permission rules of other programs as the schema says them: allow, ask or deny, by tool.

Two ways of writing are known: a map (`bash: {"git push": ask}`) and patterns (`Bash(git push:*)`).
A rule that cannot be said is noted as lost, never dropped.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from fleets.domain.json_lines import Path
from fleets.domain.profile_import.candidate_builder import CandidateBuilder

DECISIONS: Final = ("allow", "ask", "deny")
_PATTERN: Final = re.compile(r"([^()]+)\((.*)\)", re.DOTALL)
_NO_RULE: Final = "is no rule that a profile can hold (allow, ask or deny, by tool or by pattern)"


def put_map(builder: CandidateBuilder, rules: Any, *, at: Path, under: Path = ()) -> None:
    """A map of tools to allow, ask or deny, or to one map of patterns; or one word for all."""
    if isinstance(rules, str) and rules in DECISIONS:
        put_rule(builder, "*", "", rules, at=at, under=under)
        return
    if isinstance(rules, list):
        _put_list(builder, rules, at=at, under=under)
        return
    if not isinstance(rules, Mapping):
        builder.lose_rule(at, _NO_RULE)
        return
    for tool, rule in rules.items():
        place = (*at, tool)
        if isinstance(rule, str) and rule in DECISIONS:
            put_rule(builder, tool, "", rule, at=place, under=under)
        elif isinstance(rule, Mapping) and rule:
            for pattern, decision in rule.items():
                _put_checked(builder, (tool, pattern, decision), at=(*place, pattern), under=under)
        else:
            builder.lose_rule(place, _NO_RULE)


def _put_list(builder: CandidateBuilder, rules: list[Any], *, at: Path, under: Path) -> None:
    """Rules one by one: `{action, resource, effect}`; a later one stands above an earlier."""
    for number, rule in enumerate(rules):
        place = (*at, number)
        if not isinstance(rule, Mapping) or not {"action", "effect"} <= set(rule):
            builder.lose_rule(place, _NO_RULE)
            continue
        resource = rule.get("resource", "*")
        _put_checked(builder, (rule["action"], resource, rule["effect"]), at=place, under=under)


def _put_checked(
    builder: CandidateBuilder, rule: tuple[Any, Any, Any], *, at: Path, under: Path
) -> None:
    tool, pattern, decision = rule
    if isinstance(tool, str) and isinstance(pattern, str) and decision in DECISIONS:
        put_rule(builder, tool, pattern, decision, at=at, under=under)
    else:
        builder.lose_rule(at, _NO_RULE)


def put_patterns(
    builder: CandidateBuilder, rules: Iterable[tuple[str, Path]], decision: str, *, under: Path = ()
) -> None:
    """Rules written as `Tool` or `Tool(pattern)`, each with its place, all of one decision."""
    for rule, at in rules:
        tool, pattern = split_pattern(rule)
        put_rule(builder, tool, pattern, decision, at=at, under=under)


def split_pattern(rule: str) -> tuple[str, str]:
    """`Bash(git push:*)` as tool and pattern; the pattern is "" where there is none."""
    found = _PATTERN.fullmatch(rule.strip())
    return (found[1].strip(), found[2].strip()) if found else (rule.strip(), "")


def put_rule(
    builder: CandidateBuilder, tool: str, pattern: str, decision: str, *, at: Path, under: Path = ()
) -> None:
    """One rule. Where a tool has a rule for all and gets one for a pattern, both are kept."""
    place = (*under, "permissions", tool)
    held = _held(builder, place)
    if not pattern and not isinstance(held, dict):
        builder.put(place, decision, at=at)
        return
    if isinstance(held, str):
        builder.put(place, {"*": held}, at=builder.came_from.get(place, at))
    builder.put((*place, pattern or "*"), decision, at=at)


def _held(builder: CandidateBuilder, place: Path) -> Any:
    value: Any = builder.body
    for step in place:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
