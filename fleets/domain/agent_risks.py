"""What may go wrong with agents of a file, each with the repair that we know."""

from collections.abc import Iterator, Sequence
from typing import Final

from fleets.domain.agent_plan import AgentPlan
from fleets.domain.errors import Advice, Repair
from fleets.domain.harnesses import harness_named
from fleets.domain.spec import LaunchSpec

# The field of a repair that names the variable of the key for every agent that needs it.
KEY_NAMES: Final = "agents_key_names"
_NAMES_SHOWN: Final = 5


def agent_risks(spec: LaunchSpec) -> Iterator[Advice]:
    """Warnings about agents that are each their own; none where all are alike."""
    yield from _key_names(spec.agents)
    yield from _tasks(spec)
    yield from _cloud_gate(spec.agents)
    yield from _sharing(spec)


def _key_names(agents: Sequence[AgentPlan]) -> Iterator[Advice]:
    lacking = [plan for plan in agents if plan.lacks_key_name]
    for name in sorted({plan.harness for plan in lacking}):
        known = harness_named(name)
        env = (known and known.api_key_env) or ""
        who = [plan.agent_id for plan in lacking if plan.harness == name]
        yield Advice(
            "agents",
            f"{name} needs the name of its key's variable on a fleet, and {_names(who)} named"
            f' none: write "model": {{"model": …, "apiKeyEnv": "{env}"}}.',
            (Repair(f"Name {env}", KEY_NAMES, env),),
        )


def _tasks(spec: LaunchSpec) -> Iterator[Advice]:
    own = [plan.agent_id for plan in spec.agents if plan.task is not None]
    if own and spec.prompt:
        yield Advice(
            "prompt",
            f"{_names(own)} brought a task of their own; the prompt is sent instead. Empty it, and"
            " each runs its own.",
            (Repair("Empty the prompt", "prompt", ""),),
        )


def _cloud_gate(agents: Sequence[AgentPlan]) -> Iterator[Advice]:
    """Valid profiles that a host's own policy refuses by default."""
    local = [plan.agent_id for plan in agents if _has_local_server(plan)]
    if local:
        yield Advice("agents", f"{_names(local)}: cloud hosts refuse local MCP servers by default.")
    hooks = [plan.agent_id for plan in agents if (plan.profile or {}).get("hooks")]
    if hooks:
        yield Advice("agents", f"{_names(hooks)}: cloud hosts refuse hooks by default.")


def _has_local_server(plan: AgentPlan) -> bool:
    servers = (plan.profile or {}).get("mcp") or {}
    return any("command" in server for server in servers.values())


def _sharing(spec: LaunchSpec) -> Iterator[Advice]:
    """Agents that may write share their files with whoever is on the same machine."""
    profiles = {plan.profile_digest for plan in spec.agents}
    if len(profiles) > 1 and all(plan.placement is None for plan in spec.agents):
        yield Advice(
            "placement",
            "Agents of different harnesses may share a machine and read each other's files. Place"
            ' who writes, or runs untrusted code, alone: "placement": "dedicated".',
            (Repair("A machine for each", "placement", "dedicated"),),
        )


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMES_SHOWN])
    more = len(names) - _NAMES_SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown
