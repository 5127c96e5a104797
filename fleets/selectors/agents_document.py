"""The agents of a fleet as the file that would launch them again (contract 4.2)."""

import json
from typing import Any

from fleets.domain.ids import agent_ids
from fleets.domain.only_machines import COORDINATOR, OnlyMachines
from fleets.domain.placement import PerMachine
from fleets.domain.placement_input import read_placement
from fleets.domain.profile_refs import ProfileRef, RefMode
from fleets.domain.status import Pattern
from fleets.models import Agent, AgentProfile, Fleet, Task


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
    agents = (
        Agent.objects.filter(fleet=fleet)
        .select_related("profile__revision__profile")
        .order_by("position")
    )
    entries = [_entry(agent, tasks.get(agent.pk)) for agent in agents]
    return json.dumps(entries, indent=2, ensure_ascii=False)


def machines_like(fleet: Fleet) -> OnlyMachines:
    """The machines of a fleet without agents, as they were asked for. One query."""
    ids = list(fleet.machines.values_list("machine_id", flat=True))
    workers = sum(one != COORDINATOR for one in ids)
    return OnlyMachines(workers, has_coordinator=workers < len(ids))


def shared_profile(fleet: Fleet) -> str:
    """`code-reviewer fixed r12` where that is all that a launch by number needs to make the same
    agents, else "". At most two queries.
    """
    if not fleet.has_own_agents or not (fleet.prompt or fleet.pattern == Pattern.POOL):
        return ""
    alike = ("profile", "harness", "model", "model_options", "placement")
    found = list(Agent.objects.filter(fleet=fleet).order_by().values(*alike).distinct()[:2])
    if len(found) != 1 or found[0]["placement"]:
        return ""
    agents = Agent.objects.filter(fleet=fleet).order_by("position")
    rows = agents.values_list(
        "agent_id", "profile__revision__number", "profile__revision__profile__slug"
    )
    names, numbers, slugs = zip(*rows, strict=True)
    if names != agent_ids(len(names)) or slugs[0] is None:
        return ""
    return f"{slugs[0]} fixed r{numbers[0]}"


def _entry(agent: Agent, task: str | None) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "agentId": agent.agent_id,
        "harness": agent.harness,
        "model": {"model": agent.model, **agent.model_options}
        if agent.model_options
        else agent.model,
    }
    if agent.profile is not None:
        entry["profile"] = _profile(agent.profile)
    if task is not None:
        entry["task"] = task
    if agent.placement:
        rule = read_placement(agent.placement)
        entry["placement"] = (
            {"agentsPerSandbox": rule.agents} if isinstance(rule, PerMachine) else agent.placement
        )
    return entry


def _profile(profile: AgentProfile) -> dict[str, Any]:
    """What it was: its revision of the catalog, or itself where it came from nowhere."""
    revision = profile.revision
    if revision is not None and revision.digest == profile.digest:
        return ProfileRef(revision.profile.slug, RefMode.FIXED, revision.number).as_json
    found: dict[str, Any] = json.loads(profile.body)
    return found
