"""The harnesses an agent can run under, and what planning has to know of each.

Identifiers, provider locks and those without a choice of model: contract section 8. The family
(what a harness writes into the home) follows from the folders it is known to use; whether it is
heavy is our own caution, as only OpenCode has been measured (450 to 570 MiB). As of 2026-11-29.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

DEFAULT_HARNESS: Final = "opencode"
HEAVY_MIB: Final = 570
LIGHT_MIB: Final = 300


class Source(StrEnum):
    """Where a line of the table comes from."""

    MEASURED = "measured"
    WORKING_CODE = "working code"
    OURS = "our caution"


@dataclass(frozen=True, slots=True)
class Harness:
    """One harness.

    `family`: agents of one family write the same files of the home, so they share a machine only
    with identical profiles. `api_key_env`: the variable of the machine that a fleet must name for
    the model's key, None if it needs none. `provider`: the only one it can use, None for any.
    """

    name: str
    family: str
    writes: str
    is_heavy: bool = True
    api_key_env: str | None = None
    provider: str | None = None
    has_model_choice: bool = True
    source: Source = Source.OURS

    @property
    def memory_mib(self) -> int:
        """Memory that one agent of it takes on a machine."""
        return HEAVY_MIB if self.is_heavy else LIGHT_MIB


HARNESSES: Final[Mapping[str, Harness]] = {
    harness.name: harness
    for harness in (
        Harness(
            "claude-code",
            family="claude",
            writes=".claude/, CLAUDE.md",
            provider="anthropic",
            source=Source.WORKING_CODE,
        ),
        Harness(
            "nanoclaw",
            family="claude",
            writes=".claude/, CLAUDE.md",
            is_heavy=False,
            has_model_choice=False,
        ),
        Harness(
            "codex",
            family="codex",
            writes=".codex/, AGENTS.md",
            is_heavy=False,
            api_key_env="OPENAI_API_KEY",
            provider="openai",
            source=Source.WORKING_CODE,
        ),
        Harness(
            "opencode", family="opencode", writes=".opencode/, AGENTS.md", source=Source.MEASURED
        ),
        Harness("kimi-code", family="kimi", writes=".kimi/, AGENTS.md", provider="moonshot"),
        Harness("pi", family="pi", writes=".pi/, AGENTS.md", is_heavy=False),
        Harness("prime", family="prime", writes=".prime/, AGENTS.md"),
        Harness("gemini", family="gemini", writes=".gemini/, GEMINI.md"),
        Harness("hermes", family="hermes", writes=".hermes/"),
        Harness("openclaw", family="openclaw", writes=".openclaw/", has_model_choice=False),
        Harness("amp", family="amp", writes=".config/amp/, AGENTS.md", has_model_choice=False),
        Harness("factory-droids", family="factory", writes=".factory/, AGENTS.md"),
        Harness("forge", family="forge", writes=".forge/, AGENTS.md"),
        Harness("cursor", family="cursor", writes=".cursor/, AGENTS.md"),
        Harness("acp", family="acp", writes="nothing of its own", is_heavy=False),
        Harness("cli-base", family="cli", writes="nothing of its own", is_heavy=False),
    )
}


def harness_named(name: str) -> Harness | None:
    """The harness of that exact name, None if we do not know it."""
    return HARNESSES.get(name)
