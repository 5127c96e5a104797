"""Agents as a file: read with every problem at once, by name and line, secrets never repeated."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.agent_plan import AgentPlan
from fleets.domain.agents_file import PROBLEMS_SHOWN, read_agents, with_key_names
from fleets.domain.canonical_json import profile_digest
from fleets.domain.errors import InvalidInput
from fleets.domain.placement import Auto, Dedicated, PerMachine

PROFILE = {
    "name": "reviewer",
    "harness": "codex",
    "model": {"default": "gpt-5.5", "maxTotalOutputTokens": 4000},
    "resources": {"skills": [{"kind": "inline", "name": "s", "content": "c"}]},
}
SECRET = "sk-tan-0123456789abcdef"


def read(text: str, *, has_message: bool = False) -> tuple[AgentPlan, ...]:
    return read_agents(text, harness="opencode", model="gpt-4.1-mini", has_message=has_message)


def agents(*entries: Any, has_message: bool = False) -> tuple[AgentPlan, ...]:
    return read(json.dumps(list(entries), indent=1), has_message=has_message)


def problems(text: str, *, has_message: bool = False) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read(text, has_message=has_message)
    assert {problem.place for problem in caught.value.problems} == {"agents"}
    return [problem.message for problem in caught.value.problems]


def problem(entry: Any) -> str:
    (message,) = problems(json.dumps([entry]), has_message=True)
    return message


def test_every_field_is_read() -> None:
    (one, two) = agents(
        {
            "agentId": "reviewer",
            "harness": "codex",
            "model": {"model": "gpt-5.5", "apiKeyEnv": "OPENAI_API_KEY", "mode": "api"},
            "profile": PROFILE,
            "task": "Review {braces} as they are.",
            "placement": "dedicated",
        },
        {"model": "zai/glm-5.3", "task": "Write.", "placement": {"agentsPerSandbox": 3}},
    )
    assert one == AgentPlan(
        agent_id="reviewer",
        harness="codex",
        model="gpt-5.5",
        model_options={"apiKeyEnv": "OPENAI_API_KEY", "mode": "api"},
        profile=PROFILE,
        profile_digest=profile_digest(PROFILE),
        task="Review {braces} as they are.",
        placement=Dedicated(),
    )
    assert (two.agent_id, two.harness, two.model) == ("agent-2", "opencode", "zai/glm-5.3")
    assert two.placement == PerMachine(3)


def test_what_is_left_out_comes_from_the_profile_then_from_the_fleet() -> None:
    one, two = agents({"profile": PROFILE}, {"placement": "auto"}, has_message=True)
    assert (one.harness, one.model, one.output_limit) == ("codex", "gpt-5.5", 4000)
    assert (two.harness, two.model, two.placement) == ("opencode", "gpt-4.1-mini", Auto())


@pytest.mark.parametrize(
    "place",
    [
        {"apiKey": SECRET},
        {"apiKey": "hunter2-no-known-form"},
        {"model": {"model": "gpt-5.5", "apiKey": "hunter2-no-known-form"}},
        {"model": {"api_key": ["hunter2"]}},
        {"profile": {"metadata": {"deep": [{"api-key": {"value": "hunter2"}}]}}},
        {"profile": {"model": {"apiKey": "hunter2"}}},
        {"profile": {"extensions": {"v": {"APIKEY": 12345}}}},
    ],
)
def test_a_raw_key_anywhere_is_refused_by_name_and_line_and_never_repeated(place: Any) -> None:
    text = json.dumps([{"agentId": "first", "task": "x"}, {"agentId": "second", "task": "y"}])
    entry = {"agentId": "third", "task": "z", **place}
    text = f"{text[:-1]},\n\n{json.dumps(entry)}]"
    (message,) = problems(text)
    assert message.startswith("Line 3, agents[2].")
    assert "(third): a raw key is refused" in message
    assert "apiKeyEnv" in message
    assert "hunter2" not in message
    assert SECRET not in message


@pytest.mark.parametrize(
    "entry",
    [
        {"task": f"Use {SECRET} please."},
        {"profile": {"prompt": {"systemPrompt": f"key {SECRET}"}}},
        {"profile": {"metadata": {SECRET: 1}}},
        {SECRET: 1},
        {"agentId": SECRET},
        {"model": {"model": "gpt-5.5", "apiKeyEnv": SECRET}},
        {"model": {"model": "gpt-5.5", "baseUrl": "https://me:pass@example.org"}},
        {
            "profile": {
                "resources": {"skills": [{"kind": "inline", "name": "n", "content": SECRET}]}
            }
        },
    ],
)
def test_text_that_looks_like_a_credential_is_refused_and_never_repeated(entry: Any) -> None:
    for message in problems(json.dumps([{"task": "x", **entry}])):
        assert SECRET not in message
        assert "me:pass" not in message
        assert message.startswith("Line 1, agents[0]")


def test_a_reference_to_a_secret_and_a_switch_of_that_name_pass() -> None:
    env = {"API_KEY": {"kind": "secret-ref", "key": "STORED"}}
    profile = {"mcp": {"s": {"command": "node", "env": env}}, "tools": {"apiKey": True}}
    assert agents({"task": "x", "profile": profile})[0].profile == profile


def test_an_agent_with_neither_message_nor_task_is_refused_by_name() -> None:
    text = '[{"agentId": "busy", "task": "x"},\n {"agentId": "idle"},\n {}]'
    idle, unnamed = problems(text)
    assert idle.startswith("Line 2, agents[1] (idle): neither a message")
    assert unnamed.startswith("Line 3, agents[2] (agent-3): neither")
    assert len(read(text, has_message=True)) == 3


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (1, "an agent is an object, not a number"),
        ({"modle": "x"}, "Did you mean model?"),
        ({"unheard": 1}, "Known are agentId, harness"),
        ({"agentId": ""}, "an id has letters"),
        ({"agentId": 7}, "an id has letters"),
        ({"agentId": "a/b"}, "an id has letters"),
        ({"harness": "open-code"}, "Did you mean opencode?"),
        ({"harness": None}, "no such harness"),
        ({"model": ""}, "no model id"),
        ({"model": "has space"}, "no model id"),
        ({"model": 5}, "not a number"),
        ({"model": {"model": None}}, "no model id"),
        ({"model": {"modelName": "x"}}, "Did you mean model?"),
        ({"model": {"authFiles": {}}}, "there is no field"),
        ({"model": {"apiKeyEnv": "has space"}}, "name of a variable"),
        ({"model": {"apiKeyEnv": 1}}, "must be text"),
        ({"model": {"provider": ""}}, "is empty"),
        ({"model": {"maxThinkingTokens": 0}}, "whole number"),
        ({"model": {"mode": "web"}}, "api or cli"),
        ({"model": {"authMode": "none"}}, "api-key or oauth"),
        ({"model": {"baseUrl": "example.org"}}, "http(s) address"),
        ({"profile": "code-reviewer"}, 'a saved profile is named {"profileId"'),
        ({"profile": {"profileId": "p", "revision": 4}}, "saved profiles are not read"),
        ({"profile": None}, "must be an object, not null (invalid_type)"),
        ({"profile": {"nmae": "x"}}, ".profile.nmae (agent-1): “nmae” is no field here"),
        ({"profile": {"tags": ["a", 1]}}, "agents[0].profile.tags[1] (agent-1)"),
        ({"profile": {"mcp": {"s": {"command": "bash"}}}}, "profile.mcp.s.command (agent-1)"),
        ({"task": ""}, "the task is empty"),
        ({"task": 1}, "a task is text"),
        ({"task": "x" * 70_000}, "at most 64 KiB"),
        ({"task": "a\u0000b"}, "not text"),
        ({"profile": {"name": "\ud800"}}, "not text"),
        ({"profile": {"metadata": {"n": float("1e400")}}}, "no JSON"),
        ({"profile": {"metadata": {"n": 10**390}}}, "a number too large"),
        ({"placement": "alone"}, "placement is “auto”"),
        ({"placement": {"agentsPerSandbox": 0}}, "placement is “auto”"),
        ({"placement": {"agentsPerSandbox": True}}, "placement is “auto”"),
        ({"harness": "codex", "model": "zai/glm-5.3"}, "codex runs only models of openai"),
    ],
)
def test_each_mistake_is_named_with_what_would_be_right(entry: Any, words: str) -> None:
    assert words in problem(entry)


def test_a_number_too_large_to_travel_is_refused() -> None:
    (message,) = problems('[{"task": "x", "profile": {"metadata": {"n": 1e999}}}]')
    assert "agents[0].profile.metadata.n (agent-1): a number too large" in message


@pytest.mark.parametrize("text", ["{}", '{"agents": []}', "[]", "null", '"x"', "not json", ""])
def test_a_file_that_is_no_list_of_agents_is_refused(text: str) -> None:
    (message,) = problems(text)
    assert "Line 1" in message


def test_two_agents_cannot_have_one_id_named_or_numbered() -> None:
    text = '[{"agentId": "agent-2"},\n{},\n{"agentId": "agent-2"}]'
    messages = problems(text, has_message=True)
    assert [message.split(":")[0] for message in messages] == [
        "Line 2, agents[1].agentId (agent-2)",
        "Line 3, agents[2].agentId (agent-2)",
    ]


def test_more_than_ten_thousand_agents_are_refused() -> None:
    (message,) = problems("[" + ",".join(["{}"] * 10_001) + "]", has_message=True)
    assert "10,001 agents are too many" in message
    assert len(read("[" + ",".join(["{}"] * 10_000) + "]", has_message=True)) == 10_000


def test_many_problems_are_cut_with_their_number() -> None:
    messages = problems(json.dumps([{"x": 1}] * 80), has_message=True)
    assert len(messages) == PROBLEMS_SHOWN + 1
    assert messages[-1] == "30 more problems."


def test_the_name_of_the_key_can_be_put_in_for_every_agent_that_needs_it() -> None:
    entries = [
        {"harness": "codex", "model": "gpt-5.5"},
        {"profile": PROFILE},
        {"harness": "codex", "model": {"model": "gpt-5.5", "apiKeyEnv": "MINE"}},
        {"harness": "opencode", "task": "été"},
    ]
    text = with_key_names(json.dumps(entries), harness="opencode", model="gpt-4.1-mini")
    fixed = json.loads(text)
    assert fixed[0]["model"] == {"model": "gpt-5.5", "apiKeyEnv": "OPENAI_API_KEY"}
    assert fixed[1]["model"] == {"model": "gpt-5.5", "apiKeyEnv": "OPENAI_API_KEY"}
    assert fixed[2:] == entries[2:]
    assert not any(plan.lacks_key_name for plan in read(text, has_message=True))
    assert with_key_names("[{", harness="codex", model="m") == "[{"


ENTRIES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda below: (
        st.lists(below, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "agentId",
                    "harness",
                    "model",
                    "profile",
                    "task",
                    "placement",
                    "apiKey",
                    "mcp",
                    "x",
                ]
            ),
            below,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.lists(ENTRIES, min_size=1, max_size=3))
def test_any_json_is_read_or_refused_with_a_line_for_every_problem(entries: list[Any]) -> None:
    text = json.dumps(entries, indent=1)
    try:
        plans = read(text)
    except InvalidInput:
        assert all(message.startswith("Line ") for message in problems(text))
    else:
        assert len(plans) == len(entries)
        assert all(plan.task for plan in plans)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read(text)
