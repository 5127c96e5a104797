"""Agents as a file in the platform's own shape (contract 4.2), the same for the same agents."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from fleets.domain.agent_plan import AgentPlan
from fleets.domain.placement import PerMachine
from fleets.domain.placement_input import placement_word


def entry_of(
    plan: AgentPlan, *, prompt: str, names: Mapping[int, dict[str, Any]]
) -> dict[str, Any]:
    """One agent with what it is asked, "" for nothing of its own. `names` are references to
    profiles of the catalog by their revisions' rows; others are written out.
    """
    options = dict(plan.model_options)
    entry: dict[str, Any] = {
        "agentId": plan.agent_id,
        "harness": plan.harness,
        "model": {"model": plan.model, **options} if options else plan.model,
    }
    if plan.saved is not None and plan.saved in names:
        entry["profile"] = names[plan.saved]
    elif plan.profile is not None:
        entry["profile"] = dict(plan.profile)
    if prompt:
        entry["task"] = prompt
    if plan.placement is not None:
        shared = isinstance(plan.placement, PerMachine)
        word = placement_word(plan.placement)
        entry["placement"] = {"agentsPerSandbox": int(word)} if shared else word
    return entry


def agents_text(entries: Iterable[Mapping[str, Any]]) -> str:
    """The file."""
    return json.dumps(list(entries), ensure_ascii=False, indent=2) + "\n"
