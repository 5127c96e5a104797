"""Everything wrong with a profile, by place: the schema's word, then what cannot be kept at all.

A problem names the place and the rule, never a value: a value may be a secret.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.canonical_json import is_finite, profile_digest
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.harnesses import HARNESSES
from fleets.domain.json_lines import MAX_BYTES, MAX_DEPTH, Path, nodes
from fleets.domain.profile_body import body_text
from fleets.domain.profile_schema.issues import Code, Issue
from fleets.domain.profile_schema.profile import EFFORTS, check_profile
from fleets.domain.profile_schema.shapes import show_path
from fleets.domain.profile_secrets import find_secrets, safe_name, safe_path

PLACE: Final = "profile"
# The code of a problem that is a secret, beside those of the schema.
LEAK: Final = "secret"
_HALF: Final = re.compile("[\ud800-\udfff]")
_PROMPT: Final = ("systemPrompt", "appendSystemPrompt", "instructions")
_MODE: Final = ("description", "model", "prompt", "tools", "permissions", "metadata")
_REF: Final = ("kind", "name", "content", "path", "repository", "ref")
_VALUE: Final = ("kind", "value", "key", "format")
# Places where an unknown field has near neighbours; "*" stands for any one step.
_FIELDS: Final[Mapping[Path, tuple[str, ...]]] = {
    (): (
        *("name", "description", "version", "tags", "prompt", "model", "harness", "permissions"),
        *("tools", "mcp", "connections", "subagents", "resources", "hooks", "modes"),
        *("confidential", "metadata", "extensions"),
    ),
    ("prompt",): _PROMPT,
    ("model",): (
        *("default", "small", "provider", "reasoningEffort", "maxVisibleOutputTokens"),
        *("maxReasoningTokens", "maxTotalOutputTokens", "metadata"),
    ),
    ("mcp", "*", "args", "*"): _VALUE,
    ("mcp", "*", "env", "*"): _VALUE,
    ("mcp", "*", "headers", "*"): _VALUE,
    ("connections", "*"): ("connectionId", "capabilities", "alias"),
    ("subagents", "*"): (*_MODE, "maxSteps"),
    ("modes", "*"): _MODE,
    ("resources",): (
        *("files", "tools", "skills", "agents", "commands", "instructions", "failOnError"),
    ),
    ("resources", "files", "*"): ("path", "resource", "executable"),
    ("resources", "*", "*"): _REF,
    ("hooks", "*", "*"): ("command", "timeoutMs", "blocking", "matcher", "env"),
    ("confidential",): ("tee", "attestationNonce", "sealed", "attestationRefresh"),
}
# Where a wrong word has near neighbours, by the name of the field.
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "harness": tuple(HARNESSES),
    "reasoningEffort": EFFORTS,
    "transport": ("stdio", "sse", "http"),
}


@dataclass(frozen=True, slots=True)
class ProfileProblem:
    """One thing wrong: where (path of the body), what, and the name that was likely meant."""

    path: Path
    message: str
    code: str = ""
    suggestion: str = ""

    @property
    def shown_path(self) -> str:
        """The place as people write it, without what looks like a secret; "" for the whole."""
        return show_path(safe_path(self.path))

    @property
    def words(self) -> str:
        """Message and suggestion in one sentence."""
        hint = f" Did you mean {self.suggestion}?" if self.suggestion else ""
        return f"{self.message}.{hint}" if not self.message.endswith(".") else self.message + hint

    @property
    def as_problem(self) -> Problem:
        """As every door shows it."""
        return Problem(PLACE, f"{self.shown_path or 'the profile'}: {self.words}")


@dataclass(frozen=True, slots=True)
class CheckedBody:
    """A body as it counts, its text and digest, or all that is wrong with it."""

    body: Any
    problems: tuple[ProfileProblem, ...]
    digest: str = ""
    text: str = ""

    def must_be_sound(self) -> None:
        """Raise InvalidInput with everything that is wrong."""
        if self.problems:
            raise InvalidInput(one.as_problem for one in self.problems)


def check_body(body: Any) -> CheckedBody:
    """Check parsed JSON as a profile to be kept."""
    if _is_deep(body):
        words = f"is nested more than {MAX_DEPTH} levels deep"
        return CheckedBody(body, (ProfileProblem((), words),))
    checked = check_profile(body)
    problems = (*_secrets(body, checked.issues), *_of_schema(body, checked.issues))
    kept = checked.profile if problems else _in_order(body, checked.profile)
    problems = problems or tuple(_unkeepable(kept))
    if problems:
        return CheckedBody(kept, problems)
    text = body_text(kept)
    if len(text.encode()) > MAX_BYTES:
        return CheckedBody(kept, (ProfileProblem((), "is larger than 1 MiB"),))
    return CheckedBody(kept, (), profile_digest(kept), text)


def _secrets(body: Any, issues: tuple[Issue, ...]) -> Iterator[ProfileProblem]:
    """Raw keys, which the schema only finds in public values and addresses."""
    said = {issue.path for issue in issues if issue.code is Code.CUSTOM}
    for found in find_secrets(body):
        if not any(found.path[: len(path)] == path for path in said if path):
            yield ProfileProblem(found.path, found.message, LEAK)


def _of_schema(body: Any, issues: tuple[Issue, ...]) -> Iterator[ProfileProblem]:
    for issue in issues:
        if issue.code is not Code.UNRECOGNIZED_KEYS:
            yield _of_issue(issue, body)
            continue
        known = _known_fields(issue.path)
        for key in issue.keys:
            words = f"“{safe_name(key)}” is no field here"
            near = _nearest(key, known)
            yield ProfileProblem((*issue.path, key), words, issue.code.value, near)


def _in_order(body: Any, checked: Any) -> Any:
    """What the schema let pass, its names in the order they were written in."""
    if isinstance(checked, Mapping):
        return {name: _in_order(body[name], checked[name]) for name in body if name in checked}
    if isinstance(checked, list):
        return [_in_order(own, one) for own, one in zip(body, checked, strict=True)]
    return checked


def _of_issue(issue: Issue, body: Any) -> ProfileProblem:
    path, suggestion = issue.path, ""
    if issue.code is Code.INVALID_VALUE and path and path[-1] in _WORDS:
        suggestion = _nearest(_at(body, path), _WORDS[str(path[-1])])
    return ProfileProblem(path, issue.message, issue.code.value, suggestion)


def _unkeepable(body: Any) -> Iterator[ProfileProblem]:
    """What the schema lets pass and a digest or a database cannot hold."""
    for path, one in nodes(body):
        texts = (one, *path[-1:]) if isinstance(one, str) else path[-1:]
        if any(isinstance(text, str) and _HALF.search(text) for text in texts):
            yield ProfileProblem(path, "has half a character in it: no digest can be made of it")
        elif isinstance(one, int | float) and not is_finite(one):
            yield ProfileProblem(path, "is a number too large to travel")


def _is_deep(body: Any) -> bool:
    return any(len(path) > MAX_DEPTH for path, _ in nodes(body))


def _known_fields(path: Path) -> tuple[str, ...]:
    for pattern, fields in _FIELDS.items():
        if len(pattern) == len(path) and all(
            want in ("*", step) for want, step in zip(pattern, path, strict=True)
        ):
            return fields
    return ()


def _nearest(word: Any, known: tuple[str, ...]) -> str:
    small = {name.lower(): name for name in known}
    near = difflib.get_close_matches(str(word).lower()[:80], list(small), n=1, cutoff=0.6)
    return small[near[0]] if near else ""


def _at(body: Any, path: Path) -> Any:
    for step in path:
        body = body[step]
    return body
