"""YAML read as the JSON it stands for: lines of every place, nothing that JSON cannot say."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from fleets.domain.agents_file import read_agents, with_key_names
from fleets.domain.errors import InvalidInput
from fleets.domain.yaml_lines import read_yaml

TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | TEXTS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(TEXTS, below, max_size=3),
    max_leaves=10,
)
FILE = """\
# Who works tonight
- agentId: reviewer
  harness: codex
  model: gpt-5.5
  profile:
    name: strict
    tags: [a, 2026-11-29]
  task: |
    Review it.
    Then stop.
- agentId: writer
  placement: {agentsPerSandbox: 2}
  task: Write, yes or no.
"""


def refusal(text: str) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_agents(text, harness="opencode", model="gpt-4.1-mini", has_message=False)
    return caught.value.message


def test_a_file_in_yaml_says_the_same_as_in_json() -> None:
    settled = {"harness": "opencode", "model": "gpt-4.1-mini", "has_message": False}
    plans = read_agents(FILE, **settled)  # type: ignore[arg-type]
    value = read_yaml(FILE, place="agents").value
    assert plans == read_agents(json.dumps(value), **settled)  # type: ignore[arg-type]
    assert plans[0].task == "Review it.\nThen stop.\n"
    assert plans[0].profile == {"name": "strict", "tags": ["a", "2026-11-29"]}


def test_every_place_has_its_line() -> None:
    read = read_yaml(FILE, place="agents")
    assert read.line_of((0, "agentId")) == 2
    assert read.line_of((0, "profile", "tags", 1)) == 7
    assert read.line_of((1,)) == 11
    assert read.line_of((1, "nothing")) == 11


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- task: x\n  apiKey: hunter2", "Line 2, agents[0].apiKey (agent-1): a raw key"),
        ("- task: x\n  model: {apiKey: hunter2}", "Line 2, agents[0].model.apiKey"),
        ("- agentId: a\n- agentId: b\n  task: x", "Line 1, agents[0] (a): neither"),
        ("- task: x\n  task: hunter2", "Line 2: this name stands here a second time"),
        ("- &a {task: x}\n- *a", "alias"),
        ("- task: !!python/object:os.system hunter2", "Line 1: a tag"),
        ("- <<: {task: x}", "Line 1: a name must be plain text"),
        ("- 1: x", "Line 1: a name must be plain text"),
        ("- task: x\n bad: [hunter2", "neither JSON nor YAML"),
        ("- task: x\n---\n- task: y", "neither JSON nor YAML"),
        ("task: x", "must be a list of agents"),
        ("- task: x\n  profile: {metadata: {n: .inf}}", "a number too large"),
        ("- " + "[" * 200 + "]" * 200, "levels deep"),
        ("- " + "[" * 50_000, "levels deep"),
        ("# " + "x" * 140_000, "at most 128 KiB fit. Write it as JSON"),
        ("- task: \x07", "neither JSON nor YAML"),
    ],
)
def test_what_json_cannot_say_is_refused_with_its_line(text: str, words: str) -> None:
    message = refusal(text)
    assert words in message
    assert "hunter2" not in message


def test_plain_words_and_numbers_are_what_they_look_like() -> None:
    text = "[yes, on, True, 012, 0x1F, 0o17, 1_000, 1.5, 1e3, ~, null, '1']"
    assert read_yaml(text, place="agents").value == [
        *("yes", "on", True, 12, 31, 15, 1_000, 1.5, 1_000.0, None, None, "1")
    ]


@given(JSON)
def test_any_json_is_yaml_that_reads_the_same(value: Any) -> None:
    text = json.dumps(value)
    assert read_yaml(text, place="agents").value == YAML(typ="safe", pure=True).load(text) == value


def test_the_repair_turns_yaml_into_json_with_the_same_agents() -> None:
    fixed = json.loads(with_key_names(FILE, harness="opencode", model="gpt-4.1-mini"))
    assert fixed[0]["model"] == {"model": "gpt-5.5", "apiKeyEnv": "OPENAI_API_KEY"}
    assert fixed[1]["task"] == "Write, yes or no."
