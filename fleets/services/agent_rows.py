"""Writes the agents of a launch, and their profiles once for all that share them."""

import json
from collections.abc import Iterable, Mapping

from fleets.domain import ids
from fleets.domain.agent_plan import AgentPlan
from fleets.domain.answer_document import answer_document
from fleets.domain.placement_input import placement_word
from fleets.models import Agent, AgentProfile, Fleet, Machine

NAME_LIMIT = 200


def write_agents(
    fleet: Fleet, plans: Iterable[AgentPlan], *, places: Mapping[str, Machine]
) -> list[Agent]:
    """The rows of these agents in order; `places` has each one's machine. Three statements."""
    plans = tuple(plans)
    profiles = _write_profiles(fleet, plans)
    rows = [
        Agent(
            fleet=fleet,
            machine=places[plan.agent_id],
            agent_id=plan.agent_id,
            position=position,
            session_id=ids.session_id(fleet.public_id, plan.agent_id),
            harness=plan.harness,
            model=plan.model,
            model_options=dict(plan.model_options),
            profile=profiles.get(plan.profile_digest or ""),
            output_limit=plan.output_limit,
            placement=placement_word(plan.placement),
            answer_check=None if plan.answer is None else answer_document(plan.answer),
        )
        for position, plan in enumerate(plans, start=1)
    ]
    return Agent.objects.bulk_create(rows)


def _write_profiles(fleet: Fleet, plans: Iterable[AgentPlan]) -> dict[str, AgentProfile]:
    by_digest = {plan.profile_digest: plan for plan in plans if plan.profile_digest}
    rows = [
        AgentProfile(
            fleet=fleet,
            digest=digest,
            name=plan.profile_name[:NAME_LIMIT],
            body=json.dumps(plan.profile),
            revision_id=plan.saved,
        )
        for digest, plan in by_digest.items()
    ]
    return {row.digest: row for row in AgentProfile.objects.bulk_create(rows)}
