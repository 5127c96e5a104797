"""Carries out the suggestion of a problem: the name that was likely meant takes its place."""

from collections.abc import Mapping
from typing import Any

from fleets.domain.json_lines import Path
from fleets.domain.profile_problems import ProfileProblem
from fleets.domain.profile_schema.issues import Code


def repaired(body: Any, problem: ProfileProblem) -> Any:
    """The body with the suggestion in place; as it was where there is none."""
    if not problem.suggestion or not problem.path:
        return body
    is_name = problem.code == Code.UNRECOGNIZED_KEYS
    return _change(body, problem.path, problem.suggestion, is_name=is_name)


def _change(value: Any, path: Path, suggestion: str, *, is_name: bool) -> Any:
    step, *below = path
    if isinstance(value, list):
        return [
            _change(one, tuple(below), suggestion, is_name=is_name) if at == step else one
            for at, one in enumerate(value)
        ]
    if not isinstance(value, Mapping) or step not in value:
        return value
    if below:
        inner = _change(value[step], tuple(below), suggestion, is_name=is_name)
        return {**value, step: inner}
    if not is_name:
        return {**value, step: suggestion}
    if suggestion in value:
        return value
    return {(suggestion if name == step else name): one for name, one in value.items()}
