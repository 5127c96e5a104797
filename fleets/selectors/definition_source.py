"""Documents of definitions made from something else: a fleet, a file of agents."""

import json
from collections.abc import Mapping
from typing import Any, Final

from fleets.domain.agents_file import read_source
from fleets.domain.answer_document import answer_document
from fleets.domain.answer_fields import read_answer_fields
from fleets.domain.definition_fields import MACHINE_FIELD
from fleets.domain.definition_form import from_fields
from fleets.domain.errors import InvalidInput
from fleets.domain.money import usd_string
from fleets.domain.numbers import show_duration_s
from fleets.domain.placement import PerMachine
from fleets.domain.placement_input import read_placement
from fleets.domain.status import Pattern
from fleets.models import Fleet
from fleets.selectors.agents_document import agents_document, machines_like
from fleets.selectors.definition_check import body_of
from fleets.selectors.tasks_document import fleet_tasks_document


def document_of_fleet(fleet: Fleet) -> dict[str, Any]:
    """A definition that launches fleets like this one; that of its own launch where it has one.

    Three queries.
    """
    revision = fleet.definition_revision
    if revision is not None:
        return {**body_of(revision), "name": fleet.name, **_limits(fleet)}
    document: dict[str, Any] = {"name": fleet.name, "agents": _agents_of(fleet)}
    if fleet.prompt:
        document["message"] = fleet.prompt
    if tasks := fleet_tasks_document(fleet):
        session = {"session": "same"} if fleet.is_same_session else {}
        document |= {"tasks": json.loads(tasks), **session}
    asked = {"harness": fleet.harness, "model": fleet.model, "size": fleet.size}
    document |= {name: value for name, value in asked.items() if value}
    rule = read_placement(fleet.placement)
    if isinstance(rule, PerMachine):
        document["placement"] = {"agentsPerSandbox": rule.agents}
    elif fleet.placement != "auto":
        document["placement"] = fleet.placement
    document |= _limits(fleet)
    if fleet.machine_needs:
        document["machine"] = fleet.machine_needs
    return document


def _agents_of(fleet: Fleet) -> dict[str, Any]:
    if fleet.pattern == Pattern.MACHINES:
        asked = machines_like(fleet)
        lead = {"coordinator": True} if asked.has_coordinator else {}
        return {"machines": asked.workers, **lead}
    text = agents_document(fleet)
    return {"list": json.loads(text)} if text else {"count": fleet.agents_total}


def document_of_agents(text: str, *, name: str) -> dict[str, Any]:
    """A definition of the agents of a file (agents.json, or YAML that says the same).

    Raises InvalidInput at `agents`; what is in the list is checked with the document.
    """
    agents = read_source(text).value
    if not isinstance(agents, list):
        raise InvalidInput.at("agents", "Line 1: the file must be a list of agents.")
    return {"name": name, "agents": {"list": agents}}


def with_agents(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The same definition with the agents of a file. Raises InvalidInput at `agents`."""
    return {**body, "agents": document_of_agents(text, name="")["agents"]}


def document_of_launch(typed: Mapping[str, str]) -> dict[str, Any]:
    """A definition of what stands in the launch form, right or wrong: the editor says which.

    Raises InvalidInput at `agents` for a file that cannot be read.
    """
    text = typed.get("agents", "")
    made = document_of_agents(text, name="") if text.strip() else {"agents": {"count": 10}}
    if typed.get("machines", "").strip():
        made = {"agents": {"machines": 1}}
    document = from_fields(made, _typed(typed, has_count=made == {"agents": {"count": 10}}))
    answer = answer_document(read_answer_fields(typed))
    return {**document, "answer": answer} if answer else document


# Fields that are called alike in both forms.
_ALIKE: Final = (
    *("name", "harness", "model", "size", "placement", "budget", "at_once", "lifetime"),
    *("task_timeout", "after", "after_delay", "tags"),
)


def _typed(typed: Mapping[str, str], *, has_count: bool) -> dict[str, str]:
    found = {name: typed.get(name, "") for name in _ALIKE}
    found |= {name: text for name, text in typed.items() if MACHINE_FIELD.fullmatch(name)}
    found["message"] = typed.get("prompt", "")
    if typed.get("tasks", "").strip():
        session = "same" if typed.get("session") == "same" else ""
        found |= {"tasks": typed["tasks"], "session": session}
    if typed.get("machines", "").strip():
        found |= {name: typed.get(name, "") for name in ("machines", "coordinator")}
    return {**found, "count": typed.get("count", "")} if has_count else found


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
