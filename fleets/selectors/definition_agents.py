"""The agents of a definition as a file that launches the same fleet (contract 4.2)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db.models import F

from fleets.domain.agents_export import entry_of
from fleets.domain.definition import read_definition
from fleets.domain.errors import InvalidInput
from fleets.domain.only_machines import OnlyMachines
from fleets.domain.spec import LaunchSpec, prompt_for
from fleets.models import ProfileRevision, User
from fleets.selectors.definition_check import launch_of, rows_of


def agents_of(body: Mapping[str, Any], *, user: User | None) -> list[dict[str, Any]]:
    """Every agent with its exact prompt (of a pool: without one); a profile that is the
    head of the catalog by its id and revision.

    Raises InvalidInput where the document asks for rows, or cannot be launched now. Three queries
    and those of its profiles.
    """
    recipe = read_definition(body)
    if isinstance(recipe.agents, OnlyMachines):
        raise InvalidInput.at("agents", "It has machines only: a file of agents would be empty.")
    # Who the agents are does not depend on the list that they drain.
    spec = launch_of(replace(recipe, tasks=None), table=rows_of(recipe)[1], user=user).spec
    prompts = _no_prompts(spec) if recipe.tasks is not None else _prompts(spec)
    saved = {plan.saved for plan in spec.plans if plan.saved is not None}
    # The platform knows a profile's head; what is another revision is written out.
    revisions = ProfileRevision.objects.filter(pk__in=saved, profile__head=F("pk"))
    names = {
        pk: {"profileId": slug, "revision": number}
        for pk, slug, number in revisions.values_list("pk", "profile__slug", "number")
    }
    return [
        entry_of(plan, prompt=prompt, names=names)
        for plan, prompt in zip(spec.plans, prompts, strict=True)
    ]


def _prompts(spec: LaunchSpec) -> list[str]:
    template = spec.template
    return [
        prompt_for(plan, index=index, template=template)
        for index, plan in enumerate(spec.plans, start=1)
    ]


def _no_prompts(spec: LaunchSpec) -> list[str]:
    """The tasks of a pool are a list of their own."""
    return [""] * len(spec.plans)
