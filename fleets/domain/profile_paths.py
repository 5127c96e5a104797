"""Names of a profile's fields as people type them: `model.small`, `mcp.docs.env["A.B"]`."""

import difflib
import re
from typing import Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import Path

_STEP: Final = re.compile(r'\.?([^.\[\]"]+)|\["([^"]*)"\]')
# Fields that hold text, then all others; "*" stands for any one name, "**" for any further ones.
_TEXTS: Final = (
    *("name", "description", "version", "harness"),
    *("prompt.systemPrompt", "prompt.appendSystemPrompt"),
    *("model.default", "model.small", "model.provider", "model.reasoningEffort"),
    *("permissions.*", "permissions.*.*", "resources.instructions"),
    *("mcp.*.command", "mcp.*.cwd", "mcp.*.url", "mcp.*.transport"),
    *("subagents.*.description", "subagents.*.prompt", "subagents.*.model"),
    *("modes.*.description", "modes.*.prompt", "modes.*.model"),
    *("subagents.*.permissions.*", "modes.*.permissions.*"),
    *("confidential.tee", "confidential.attestationNonce"),
)
_OTHERS: Final = (
    *("tags", "prompt", "prompt.instructions", "model", "permissions", "tools", "tools.*"),
    *("model.maxVisibleOutputTokens", "model.maxReasoningTokens", "model.maxTotalOutputTokens"),
    *("model.metadata", "model.metadata.**", "mcp", "mcp.*", "mcp.*.enabled", "mcp.*.args"),
    *("mcp.*.env", "mcp.*.env.*", "mcp.*.headers", "mcp.*.headers.*", "mcp.*.metadata"),
    *("connections", "hooks", "hooks.*", "confidential", "confidential.sealed"),
    *("confidential.attestationRefresh", "resources", "resources.files", "resources.tools"),
    *("resources.skills", "resources.agents", "resources.commands", "resources.failOnError"),
    *("subagents", "subagents.*", "subagents.*.tools", "subagents.*.permissions"),
    *("subagents.*.maxSteps", "subagents.*.metadata", "subagents.*.metadata.**"),
    *("modes", "modes.*", "modes.*.tools", "modes.*.permissions", "modes.*.metadata"),
    *("metadata", "metadata.**", "extensions", "extensions.*", "extensions.*.**"),
)
_ALL: Final = tuple(tuple(name.split(".")) for name in (*_TEXTS, *_OTHERS))
# What can be chosen without knowing a name of the profile's own.
FIELD_NAMES: Final = tuple(sorted(name for name in (*_TEXTS, *_OTHERS) if "*" not in name))


def read_path(text: str, *, place: str) -> Path:
    """The path that a name means. Raises InvalidInput, with the nearest name where there is one."""
    text = text.strip()
    steps: list[str] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None or (at == 0 and text.startswith(".")):
            words = 'A field is named like model.small, or mcp.docs.env["A.B"].'
            raise InvalidInput.at(place, words)
        steps.append(found[1] if found[1] is not None else found[2])
        at = found.end()
    if not steps:
        raise InvalidInput.at(place, "Name the field: model.small.")
    if not any(_fits(pattern, steps) for pattern in _ALL):
        raise InvalidInput.at(place, _unknown(steps))
    return tuple(steps)


def holds_text(path: Path) -> bool:
    """Whether what is typed for this field is its value as it stands, and no JSON."""
    return any(_fits(tuple(name.split(".")), list(map(str, path))) for name in _TEXTS)


def _fits(pattern: tuple[str, ...], steps: list[str]) -> bool:
    if pattern[-1] == "**":
        return len(steps) >= len(pattern) and _fits(pattern[:-1], steps[: len(pattern) - 1])
    return len(pattern) == len(steps) and all(
        want in ("*", step) for want, step in zip(pattern, steps, strict=True)
    )


def _unknown(steps: list[str]) -> str:
    """Where the name leaves what is known, and what was likely meant there."""
    for count in range(1, len(steps) + 1):
        if not any(_fits(pattern[:count], steps[:count]) for pattern in _ALL):
            above = steps[: count - 1]
            known = sorted({p[count - 1] for p in _ALL if _begins(p, above)} - {"*", "**"})
            near = difflib.get_close_matches(steps[count - 1][:80], known, n=1, cutoff=0.5)
            where = f"in {'.'.join(above)}"[:80] if above else "of a profile"
            hint = f" Did you mean {'.'.join([*above, near[0]])}?" if near else ""
            listed = f" There are {', '.join(known)}." if known and not near else ""
            return f"“{steps[count - 1][:40]}” is no field {where}.{hint}{listed}"
    return f"{'.'.join(steps)[:80]} cannot be set as one field: name one below or above it."


def _begins(pattern: tuple[str, ...], above: list[str]) -> bool:
    return len(pattern) > len(above) and (not above or _fits(pattern[: len(above)], above))
