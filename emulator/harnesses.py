"""The 16 harnesses (contract 8): what each writes into the home, and what memory it takes.

Identifiers: seen in working code. Only OpenCode's memory was measured (450-570 MiB); the rest of
the memory column is ours.
"""

from dataclasses import dataclass

AS_OF = "2026-11-29"


@dataclass(frozen=True, slots=True)
class Harness:
    """`api_key_env`: the variable of the model's key that a fleet must name, if any."""

    name: str
    title: str
    home: str
    is_heavy: bool = True
    api_key_env: str | None = None


_TABLE = (
    Harness("claude-code", "Claude Code", ".claude/, CLAUDE.md"),
    Harness("nanoclaw", "NanoClaw", ".claude/, CLAUDE.md", is_heavy=False),
    Harness("codex", "Codex", ".codex/, AGENTS.md", is_heavy=False, api_key_env="OPENAI_API_KEY"),
    Harness("opencode", "OpenCode", ".opencode/, AGENTS.md"),
    Harness("kimi-code", "Kimi Code", ".kimi/, AGENTS.md"),
    Harness("pi", "Pi", ".pi/, AGENTS.md", is_heavy=False),
    Harness("prime", "Prime", ".prime/, AGENTS.md"),
    Harness("gemini", "Gemini CLI", ".gemini/, GEMINI.md"),
    Harness("hermes", "Hermes", ".hermes/"),
    Harness("openclaw", "OpenClaw", ".openclaw/"),
    Harness("amp", "Amp", ".config/amp/, AGENTS.md"),
    Harness("factory-droids", "Factory Droids", ".factory/, AGENTS.md"),
    Harness("forge", "Forge", ".forge/, AGENTS.md"),
    Harness("cursor", "Cursor", ".cursor/, AGENTS.md"),
    Harness("acp", "ACP", "nothing of its own", is_heavy=False),
    Harness("cli-base", "CLI base", "nothing of its own", is_heavy=False),
)
HARNESSES = {harness.name: harness for harness in _TABLE}
