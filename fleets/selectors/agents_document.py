"""The agents of a fleet as the file that would launch them again (contract 4.2)."""

import json
from typing import Any

from fleets.domain.placement import PerMachine
from fleets.domain.placement_input import read_placement
from fleets.domain.status import Pattern
from fleets.models import Agent, Fleet, Task


def agents_document(fleet: Fleet) -> str:
    """JSON text in the platform's own shape, "" for agents asked for by number. Two queries.

    Tasks are those of the launch, where no one message went to all.
    """
    if not fleet.has_own_agents:
        return ""
    tasks: dict[int, str] = {}
    if not fleet.prompt and fleet.pattern != Pattern.POOL:
        first = Task.objects.filter(run__fleet=fleet, run__number=1)
        tasks = dict(first.values_list("agent_id", "prompt"))
    agents = Agent.objects.filter(fleet=fleet).select_related("profile").order_by("position")
    entries = [_entry(agent, tasks.get(agent.pk)) for agent in agents]
    return json.dumps(entries, indent=2, ensure_ascii=False)


def _entry(agent: Agent, task: str | None) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "agentId": agent.agent_id,
        "harness": agent.harness,
        "model": {"model": agent.model, **agent.model_options}
        if agent.model_options
        else agent.model,
    }
    if agent.profile is not None:
        entry["profile"] = json.loads(agent.profile.body)
    if task is not None:
        entry["task"] = task
    if agent.placement:
        rule = read_placement(agent.placement)
        entry["placement"] = (
            {"agentsPerSandbox": rule.agents} if isinstance(rule, PerMachine) else agent.placement
        )
    return entry
