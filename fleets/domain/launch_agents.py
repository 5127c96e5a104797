"""Agents of a launch that are more than a number: those of a file, or all with one profile."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from fleets.domain.agent_plan import AgentPlan, Resolve, alike
from fleets.domain.agent_settling import NOT_READ_HERE, provider_problems
from fleets.domain.agents_file import PLACE as AGENTS
from fleets.domain.agents_file import read_agents
from fleets.domain.errors import InvalidInput, Repair
from fleets.domain.ids import agent_ids
from fleets.domain.profile_refs import ref_of_words

PLACE: Final = "profile"
Plans = tuple[AgentPlan, ...]
# Reads a field by a parser; what the parser raises is noted, and the default stands for it.
Read = Callable[[str, Callable[[str], Plans], Plans], Plans]


def read_launch_agents(
    raw: Mapping[str, str],
    read: Read,
    *,
    is_pool: bool,
    count: int,
    harness: str,
    model: str,
    resolve: Resolve | None,
) -> Plans:
    """The agents of the file, or so many with the profile; none where the form has neither."""
    has_file = bool(raw.get(AGENTS, "").strip())
    defaults: dict[str, Any] = {"harness": harness, "model": model, "resolve": resolve}
    plans: Plans = ()
    if has_file:
        has_message = is_pool or bool(raw.get("prompt", "").strip())
        reader = partial(read_agents, has_message=has_message, is_pool=is_pool, **defaults)
        plans = read(AGENTS, reader, plans)
    if raw.get(PLACE, "").strip():
        reader = partial(_with_profile, count=count, has_file=has_file, **defaults)
        plans = read(PLACE, reader, plans)
    return plans


def _with_profile(
    text: str, *, count: int, has_file: bool, harness: str, model: str, resolve: Resolve | None
) -> Plans:
    if has_file:
        words = "Each agent's profile stands in the file: leave this one empty."
        raise InvalidInput.at(PLACE, words, repair=Repair("Leave it empty", PLACE, ""))
    ref = ref_of_words(text)
    if isinstance(ref, str):
        raise InvalidInput.at(PLACE, ref.capitalize())
    if resolve is None:
        raise InvalidInput.at(PLACE, NOT_READ_HERE.capitalize())
    plans = alike(agent_ids(count), resolve(ref), harness=harness, model=model)
    for _, words in provider_problems(plans[:1]):
        raise InvalidInput.at(PLACE, words)
    return plans
