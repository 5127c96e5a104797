"""Settling many agents at once: saved profiles are found once each, all problems are told."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from fleets.domain.agent_plan import AgentAsked, AgentPlan, Resolve, SavedProfile, plan_agent
from fleets.domain.errors import DomainError, InvalidInput, Problem
from fleets.domain.harnesses import harness_named
from fleets.domain.prices import provider_of
from fleets.domain.profile_refs import ProfileRef

PLACE: Final = "profile"
# Index of an agent, and what is wrong with its profile.
Missing = tuple[int, Problem]
NOT_READ_HERE: Final = "saved profiles are not read from here: write the profile itself out."


def find_saved(
    asked: Sequence[AgentAsked], resolve: Resolve | None
) -> tuple[dict[ProfileRef, SavedProfile], list[Missing]]:
    """The saved profiles that agents name, and whose is not there. None are without `resolve`."""
    found: dict[ProfileRef, SavedProfile] = {}
    wrong: dict[ProfileRef, Problem] = {}
    for ref in dict.fromkeys(one.ref for one in asked if one.ref is not None):
        saved = _found(ref, resolve)
        if isinstance(saved, Problem):
            wrong[ref] = saved
        else:
            found[ref] = saved
    return found, [(at, wrong[one.ref]) for at, one in enumerate(asked) if one.ref in wrong]


def plan_agents(
    asked: Sequence[AgentAsked],
    *,
    harness: str,
    model: str,
    found: Mapping[ProfileRef, SavedProfile],
) -> tuple[AgentPlan, ...]:
    """The agents with nothing left open; `harness` and `model` are the fleet's defaults."""
    return tuple(
        plan_agent(one, harness=harness, model=model, resolve=found.__getitem__) for one in asked
    )


def provider_problems(plans: Sequence[AgentPlan]) -> Iterator[tuple[int, str]]:
    """Agents whose harness does not run their model."""
    for at, plan in enumerate(plans):
        known = harness_named(plan.harness)
        provider = plan.model_options.get("provider") or provider_of(plan.model)
        if known and known.provider and provider and provider != known.provider:
            yield (
                at,
                f"{known.name} runs only models of {known.provider}, and {plan.model} is of"
                f" {provider}.",
            )


def _found(ref: ProfileRef, resolve: Resolve | None) -> SavedProfile | Problem:
    if resolve is None:
        return Problem(PLACE, NOT_READ_HERE)
    try:
        return resolve(ref)
    except InvalidInput as error:
        return error.problems[0]
    except DomainError as error:
        return Problem(PLACE, error.message)
