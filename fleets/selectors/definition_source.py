"""Documents of definitions made from something else: a fleet, a file of agents."""

import json
from typing import Any

from fleets.domain.agents_file import read_source
from fleets.domain.errors import InvalidInput
from fleets.domain.money import usd_string
from fleets.domain.numbers import show_duration_s
from fleets.domain.placement import PerMachine
from fleets.domain.placement_input import read_placement
from fleets.models import Fleet
from fleets.selectors.agents_document import agents_document
from fleets.selectors.definition_check import body_of


def document_of_fleet(fleet: Fleet) -> dict[str, Any]:
    """A definition that launches fleets like this one; that of its own launch where it has one.

    Two queries.
    """
    revision = fleet.definition_revision
    if revision is not None:
        return {**body_of(revision), "name": fleet.name, **_limits(fleet)}
    text = agents_document(fleet)
    agents: dict[str, Any] = {"list": json.loads(text)} if text else {"count": fleet.agents_total}
    document: dict[str, Any] = {"name": fleet.name, "agents": agents}
    if fleet.prompt:
        document["message"] = fleet.prompt
    document |= {"harness": fleet.harness, "model": fleet.model, "size": fleet.size}
    rule = read_placement(fleet.placement)
    if isinstance(rule, PerMachine):
        document["placement"] = {"agentsPerSandbox": rule.agents}
    elif fleet.placement != "auto":
        document["placement"] = fleet.placement
    document |= _limits(fleet)
    if fleet.machine_needs:
        document["machine"] = fleet.machine_needs
    return document


def document_of_agents(text: str, *, name: str) -> dict[str, Any]:
    """A definition of the agents of a file (agents.json, or YAML that says the same).

    Raises InvalidInput at `agents`; what is in the list is checked with the document.
    """
    agents = read_source(text).value
    if not isinstance(agents, list):
        raise InvalidInput.at("agents", "Line 1: the file must be a list of agents.")
    return {"name": name, "agents": {"list": agents}}


def _limits(fleet: Fleet) -> dict[str, Any]:
    budget = fleet.budget_nusd
    return {
        "budgetUsd": None if budget is None else usd_string(budget),
        "atOnce": "auto" if fleet.at_once is None else fleet.at_once,
        "lifetime": show_duration_s(fleet.lifetime_s),
        "taskTimeout": show_duration_s(fleet.task_timeout_s),
        "afterwards": fleet.after,
        "afterwardsDelay": show_duration_s(fleet.after_delay_s),
        "tags": list(fleet.tags),
    }
