"""What an agent runs with: agent, then profile, then the fleet's defaults."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.agent_plan import AgentAsked, ModelAsked, numbered, plan_agent
from fleets.domain.canonical_json import profile_digest

HARNESSES = st.none() | st.sampled_from(["codex", "pi"])
MODELS = st.none() | st.sampled_from(["gpt-4.1-mini", "zai/glm-5.3"])


def plan(asked: AgentAsked) -> Any:
    return plan_agent(asked, harness="opencode", model="gpt-4.1")


@given(HARNESSES, HARNESSES, MODELS, MODELS)
def test_the_first_that_says_something_decides(
    harness: str | None, in_profile: str | None, model: str | None, default: str | None
) -> None:
    profile = {
        **({"harness": in_profile} if in_profile else {}),
        **({"model": {"default": default}} if default else {}),
    }
    settled = plan(AgentAsked("a", harness, ModelAsked(model), profile))
    assert settled.harness == (harness or in_profile or "opencode")
    assert settled.model == (model or default or "gpt-4.1")
    assert settled.profile_digest == profile_digest(profile)


def test_an_agent_without_a_profile_has_no_digest() -> None:
    settled = plan(AgentAsked("a"))
    assert (settled.harness, settled.model, settled.profile_digest) == ("opencode", "gpt-4.1", None)
    assert settled.output_limit is None
    assert settled.profile_name == ""


def test_a_profiles_provider_goes_with_its_own_model_only() -> None:
    profile = {"model": {"default": "glm-5.3", "provider": "zai"}}
    assert plan(AgentAsked("a", profile=profile)).model_options == {"provider": "zai"}
    own = AgentAsked("a", model=ModelAsked("gpt-5.5"), profile=profile)
    assert plan(own).model_options == {}


def test_options_without_a_model_go_with_the_profiles_model() -> None:
    asked = AgentAsked(
        "a",
        model=ModelAsked(None, {"apiKeyEnv": "K"}),
        profile={"model": {"default": "gpt-5.5", "maxTotalOutputTokens": 8000.0}},
    )
    settled = plan(asked)
    assert (settled.model, settled.model_options) == ("gpt-5.5", {"apiKeyEnv": "K"})
    assert settled.output_limit == 8000


@pytest.mark.parametrize(("harness", "lacks"), [("codex", True), ("opencode", False)])
def test_a_harness_that_needs_the_name_of_a_key_says_so(harness: str, lacks: bool) -> None:
    assert plan(AgentAsked("a", harness)).lacks_key_name is lacks
    named = AgentAsked("a", harness, ModelAsked(None, {"apiKeyEnv": "K"}))
    assert plan(named).lacks_key_name is False


def test_agents_asked_for_by_number_get_the_name_of_their_harness() -> None:
    assert numbered("a", harness="codex", model="m").model_options == {
        "apiKeyEnv": "OPENAI_API_KEY"
    }
    assert numbered("a", harness="opencode", model="m").model_options == {}
