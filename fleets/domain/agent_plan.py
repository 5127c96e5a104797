"""What one agent runs with: its own words first, then its profile's, then the fleet's defaults.

The precedence is the platform's (contract 10, row 26). The turn's backend is built from it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from fleets.domain.answer_check import AnswerCheck
from fleets.domain.canonical_json import profile_digest
from fleets.domain.harnesses import harness_named
from fleets.domain.placement import AgentSpec, PlacementRule
from fleets.domain.profile_refs import ProfileRef


@dataclass(frozen=True, slots=True)
class ModelAsked:
    """A model and what goes with it on the wire (`apiKeyEnv`, `provider`, …). No secret is in it.

    `model` None: only the options are the agent's own.
    """

    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentAsked:
    """What a file says of one agent; None is left to its profile and to the fleet.

    `profile` is written out; `ref` names one of the catalog, whose content is not known yet.
    """

    agent_id: str
    harness: str | None = None
    model: ModelAsked = ModelAsked()
    profile: Mapping[str, Any] | None = None
    task: str | None = None
    placement: PlacementRule | None = None
    ref: ProfileRef | None = None


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """What will be asked for one agent, nothing left open. `profile_digest` None: no profile.

    `saved` is the revision of the catalog that the profile is, None where it was written out.
    `answer` is what a good answer of this agent is, None for what the fleet says.
    """

    agent_id: str
    harness: str
    model: str
    model_options: Mapping[str, Any] = field(default_factory=dict)
    # Named by its digest where a plan is shown or compared: it can be large, and many share it.
    profile: Mapping[str, Any] | None = field(default=None, repr=False)
    profile_digest: str | None = None
    task: str | None = None
    placement: PlacementRule | None = None
    saved: int | None = None
    answer: AnswerCheck | None = None

    @property
    def for_placement(self) -> AgentSpec:
        """What placement has to know."""
        return AgentSpec(self.agent_id, self.harness, self.profile_digest, self.placement)

    @property
    def profile_name(self) -> str:
        """The profile's own name, "" where it has none."""
        return str((self.profile or {}).get("name") or "")

    @property
    def output_limit(self) -> int | None:
        """The most tokens one answer may have by its profile (contract 10, row 19)."""
        limit = _model_of(self.profile).get("maxTotalOutputTokens")
        return None if limit is None else int(limit)

    @property
    def lacks_key_name(self) -> bool:
        """Whether its harness needs the name of a key's variable that nobody gave (4.4)."""
        known = harness_named(self.harness)
        return bool(known and known.api_key_env and not self.model_options.get("apiKeyEnv"))


class SavedProfile(Protocol):
    """A profile of the catalog, found: its content, and the row of the revision it is."""

    @property
    def body(self) -> Mapping[str, Any]: ...

    @property
    def revision_id(self) -> int: ...


Resolve = Callable[[ProfileRef], SavedProfile]


def plan_agent(
    asked: AgentAsked, *, harness: str, model: str, resolve: Resolve | None = None
) -> AgentPlan:
    """Settle one agent; `harness` and `model` are the fleet's defaults.

    What `resolve` raises for a profile that is not there goes through.
    """
    saved = resolve(asked.ref) if asked.ref is not None and resolve is not None else None
    profile = asked.profile if saved is None else saved.body
    from_profile = _model_of(profile)
    options = dict(asked.model.options)
    chosen = asked.model.model
    if chosen is None and from_profile.get("default"):
        chosen = str(from_profile["default"])
        if from_profile.get("provider"):
            options.setdefault("provider", from_profile["provider"])
    return AgentPlan(
        agent_id=asked.agent_id,
        harness=asked.harness or (profile or {}).get("harness") or harness,
        model=chosen or model,
        model_options=options,
        profile=profile,
        profile_digest=None if profile is None else profile_digest(profile),
        task=asked.task,
        placement=asked.placement,
        saved=None if saved is None else saved.revision_id,
    )


def numbered(agent_id: str, *, harness: str, model: str) -> AgentPlan:
    """An agent of a fleet that was asked for by number.

    There is no place to name its key's variable, so the harness's own is named.
    """
    known = harness_named(harness)
    options = {"apiKeyEnv": known.api_key_env} if known and known.api_key_env else {}
    return AgentPlan(agent_id, harness, model, options)


def alike(
    names: Iterable[str], saved: SavedProfile, *, harness: str, model: str
) -> tuple[AgentPlan, ...]:
    """Agents of a fleet that was asked for by number, all with one profile of the catalog."""
    first = plan_agent(AgentAsked("", profile=saved.body), harness=harness, model=model)
    own = numbered("", harness=first.harness, model=first.model).model_options
    first = replace(first, model_options={**own, **first.model_options}, saved=saved.revision_id)
    return tuple(replace(first, agent_id=name) for name in names)


def _model_of(profile: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return (profile or {}).get("model") or {}
