"""The parent of a fleet that is launched below another: whether it takes one, and its money."""

from fleets.domain.child_budget import check_child
from fleets.domain.errors import Conflict, InvalidInput
from fleets.domain.spec import LaunchSpec
from fleets.models import Agent, Fleet
from fleets.selectors.parents import above_of, child_refusal
from fleets.services.fleet_state import lock


def parent_of(spec: LaunchSpec) -> Fleet | None:
    """The parent that a launch names, None for a root. Checks all but what may change.

    Raises InvalidInput at `parent`, `parent_agent`, `team` or `budget`, and Conflict where the
    parent takes no children now.
    """
    if not spec.parent_id:
        return None
    found = Fleet.objects.select_related("team", "root", "connection")
    parent = found.filter(public_id=spec.parent_id).first()
    if parent is None:
        raise InvalidInput.at("parent", f"There is no fleet {spec.parent_id} here.")
    _must_take_children(parent)
    if parent.team.slug != spec.team_slug:
        words = f"A child belongs to its parent's team: {parent.team.name} ({parent.team.slug})."
        raise InvalidInput.at("team", words)
    agents = Agent.objects.filter(fleet=parent)
    agent_id = spec.parent_agent
    if agent_id and agents.exists() and not agents.filter(agent_id=agent_id).exists():
        raise InvalidInput.at("parent_agent", f"{parent.name} has no agent {agent_id}.")
    check_child(above_of(parent), asked_nusd=spec.budget_nusd)
    return parent


def lock_parent(parent: Fleet) -> Fleet:
    """The parent's row, locked in the caller's transaction: a stop of its tree comes before the
    child or finds it. Raises Conflict where it takes no children any more.
    """
    locked = lock(parent.pk)
    _must_take_children(locked)
    return locked


def _must_take_children(parent: Fleet) -> None:
    refusal = child_refusal(parent)
    if refusal:
        raise Conflict(refusal, state=parent.state)
