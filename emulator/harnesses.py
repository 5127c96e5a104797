"""The 16 harnesses (contract 8): family, what each writes into the home, memory, locks.

Names, provider locks, what may be chosen: seen in working code. Only OpenCode's memory was
measured (450-570 MiB); the rest of the memory column is ours, families and homes are inferred.
"""

from dataclasses import dataclass

AS_OF = "2026-11-29"


@dataclass(frozen=True, slots=True)
class Harness:
    """`family`: agents of one family share a home; `provider`: the only one whose models it runs.

    `api_key_env`: the variable of the model's key that a fleet must name, if any.
    """

    name: str
    title: str
    family: str
    home: str
    is_heavy: bool = True
    api_key_env: str | None = None
    provider: str | None = None
    picks_model: bool = True
    picks_effort: bool = True


_TABLE = (
    Harness("claude-code", "Claude Code", "claude", ".claude/, CLAUDE.md", provider="anthropic"),
    Harness("nanoclaw", "NanoClaw", "claude", ".claude/, CLAUDE.md", is_heavy=False,
            picks_model=False, picks_effort=False),
    Harness("codex", "Codex", "codex", ".codex/, AGENTS.md", is_heavy=False,
            api_key_env="OPENAI_API_KEY", provider="openai"),
    Harness("opencode", "OpenCode", "opencode", ".opencode/, AGENTS.md"),
    Harness("kimi-code", "Kimi Code", "kimi", ".kimi/, AGENTS.md", provider="moonshot"),
    Harness("pi", "Pi", "pi", ".pi/, AGENTS.md", is_heavy=False),
    Harness("prime", "Prime", "prime", ".prime/, AGENTS.md"),
    Harness("gemini", "Gemini CLI", "gemini", ".gemini/, GEMINI.md"),
    Harness("hermes", "Hermes", "hermes", ".hermes/", picks_effort=False),
    Harness("openclaw", "OpenClaw", "openclaw", ".openclaw/", picks_model=False),
    Harness("amp", "Amp", "amp", ".config/amp/, AGENTS.md", picks_model=False,
            picks_effort=False),
    Harness("factory-droids", "Factory Droids", "factory", ".factory/, AGENTS.md",
            picks_effort=False),
    Harness("forge", "Forge", "forge", ".forge/, AGENTS.md"),
    Harness("cursor", "Cursor", "cursor", ".cursor/, AGENTS.md"),
    Harness("acp", "ACP", "acp", "nothing of its own", is_heavy=False, picks_effort=False),
    Harness("cli-base", "CLI base", "cli", "nothing of its own", is_heavy=False),
)  # fmt: skip
HARNESSES = {harness.name: harness for harness in _TABLE}
