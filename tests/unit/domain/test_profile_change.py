"""One change made to a body: where it applies, what it leaves alone, what stands in its way."""

from typing import Any

import pytest
from hypothesis import given, settings

from fleets.domain.errors import InvalidInput
from fleets.domain.profile_change import ChangeKind, ProfileChange, apply_change
from fleets.domain.profile_change_form import read_change
from fleets.domain.profile_parts import parts_of, text_digest
from fleets.domain.profile_problems import check_body
from tests.unit.domain.profiles_made import PROFILES

SKILL = {"kind": "inline", "name": "pytest", "content": "Use -k.\nAlways."}
BODY: dict[str, Any] = {
    "name": "Reviewer",
    "harness": "codex",
    "tags": ["a", "b"],
    "model": {"default": "old", "small": "old", "provider": "x"},
    "prompt": {"systemPrompt": "You are Bob. Bob reviews.", "instructions": ["Ask Bob.", "Go."]},
    "permissions": {"bash": "ask"},
    "mcp": {
        "docs": {"url": "https://docs.example.org:8443/mcp?x=1"},
        "here": {"command": "npx"},
    },
    "subagents": {"s": {"model": "old", "prompt": "Bob"}, "t": {"model": "other"}},
    "resources": {"skills": [SKILL], "files": [{"path": "a.md", "resource": SKILL}]},
}


def change(kind: str, **typed: str) -> ProfileChange:
    return read_change({"kind": kind, **{f"{kind}_{name}": text for name, text in typed.items()}})


def test_a_retired_model_is_replaced_wherever_it_stands_and_nothing_else_changes() -> None:
    made = apply_change(change("model", old="old", new="new"), BODY)
    assert made.hits == 3
    assert made.body["model"] == {"default": "new", "small": "new", "provider": "x"}
    assert made.body["subagents"]["s"]["model"] == "new"
    assert made.body["subagents"]["t"] == BODY["subagents"]["t"]
    assert {**made.body, "model": 0, "subagents": 0} == {**BODY, "model": 0, "subagents": 0}
    assert list(made.body) == list(BODY)


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (change("model", old="none", new="new"), "does not use none"),
        (change("model", new="old"), "says so already"),
        (change("harness", old="opencode", new="pi"), "runs on codex"),
        (change("harness", new="codex"), "says so already"),
        (change("unset", path="model.metadata"), "has no model.metadata"),
        (change("text", old="Alice", new=""), "the text is not in its instructions"),
        (change("add_tag", new="a"), "has the tag already"),
        (change("remove_tag", old="c"), "has no such tag"),
        (change("host", old="example.org", new="b.org"), "has no MCP server at example.org"),
        (change("skill", old="0" * 32, new="x"), "does not have this text"),
    ],
    ids=lambda one: one if isinstance(one, str) else one.kind.value,
)
def test_a_body_that_a_change_does_not_touch_comes_back_as_it_is(
    made: ProfileChange, why: str
) -> None:
    found = apply_change(made, BODY)
    assert (found.body, found.hits, found.why) == (BODY, 0, why)


def test_a_text_is_replaced_in_prompts_alone_and_every_hit_counts() -> None:
    made = apply_change(change("text", old="Bob", new="Ann"), BODY)
    assert made.hits == 4
    assert made.body["prompt"]["systemPrompt"] == "You are Ann. Ann reviews."
    assert made.body["prompt"]["instructions"] == ["Ask Ann.", "Go."]
    assert made.body["subagents"]["s"]["prompt"] == "Ann"
    assert made.body["resources"] == BODY["resources"]


def test_a_text_that_grows_beyond_all_measure_is_refused_before_it_is_made() -> None:
    body = {**BODY, "prompt": {"systemPrompt": "a" * 100_000}}
    made = apply_change(change("text", old="a", new="b" * 1_000_000), body)
    assert (made.body, made.hits, made.is_refused) == (body, 0, True)
    assert made.why == "would be larger than 1 MiB"


def test_a_host_is_replaced_with_the_rest_of_the_address_kept() -> None:
    made = apply_change(change("host", old="docs.example.org", new="mcp.example.net"), BODY)
    assert made.body["mcp"]["docs"]["url"] == "https://mcp.example.net:8443/mcp?x=1"
    made = apply_change(change("host", old="docs.example.org", new="mcp.example.net:1"), BODY)
    assert made.body["mcp"]["docs"]["url"] == "https://mcp.example.net:1/mcp?x=1"


def test_a_shared_text_is_found_by_its_content_whatever_its_line_ends() -> None:
    twin = {**SKILL, "name": "tests", "content": "Use -k.\r\nAlways."}
    body = {**BODY, "resources": {"skills": [twin, {**SKILL, "content": "other"}]}}
    made = apply_change(change("skill", old=text_digest(SKILL["content"]), new="Use -x."), body)
    names = [(part.name, part.text) for part in parts_of(made.body)]
    assert names == [("tests", "Use -x."), ("pytest", "other")]


def test_tags_are_added_and_taken_away() -> None:
    assert apply_change(change("add_tag", new="c"), BODY).body["tags"] == ["a", "b", "c"]
    assert apply_change(change("remove_tag", old="a"), BODY).body["tags"] == ["b"]
    assert "tags" not in apply_change(change("remove_tag", old="a"), {"tags": ["a"]}).body


def test_a_field_is_set_by_its_name_with_text_as_it_is_and_json_else() -> None:
    small = apply_change(change("field", path="model.small", new="true"), BODY)
    assert small.body["model"]["small"] == "true"
    most = apply_change(change("field", path="model.maxTotalOutputTokens", new="8192"), BODY)
    assert most.body["model"]["maxTotalOutputTokens"] == 8192
    dotted = apply_change(change("field", path='permissions["a.b"]', new="deny"), BODY)
    assert dotted.body["permissions"] == {"bash": "ask", "a.b": "deny"}


def test_a_rule_is_never_lost_under_a_field_that_is_set_below_it() -> None:
    made = apply_change(change("field", path="permissions.bash.git", new="allow"), BODY)
    assert made.is_refused
    assert made.body == BODY
    assert "permissions.bash is a value of its own" in made.why


@pytest.mark.parametrize(
    ("kind", "typed", "words"),
    [
        ("field", {"path": "modell.small", "new": "x"}, "Did you mean model?"),
        ("field", {"path": "model.smal", "new": "x"}, "Did you mean model.small?"),
        ("field", {"path": "model..small", "new": "x"}, "A field is named like"),
        ("field", {"path": "mcp", "new": "{"}, "This field takes JSON"),
        ("field", {"path": "model.maxTotalOutputTokens", "new": "0"}, "model.maxTotalOutputTokens"),
        ("field", {"path": "harness", "new": "codx"}, "Did you mean codex?"),
        ("field", {"path": "model.small", "new": " "}, "Give the value"),
        ("unset", {"path": ""}, "Name the field"),
        ("harness", {"new": "codx"}, "Did you mean codex?"),
        ("model", {"old": "a", "new": "a"}, "stands there already"),
        ("model", {"new": " "}, "Say the model"),
        ("text", {"new": "x"}, "exactly as it stands"),
        ("host", {"old": "a.org", "new": "https://b.org"}, "without https://"),
        ("host", {"old": "a.org", "new": "b.org:70000"}, "A host is named like"),
        ("skill", {"old": "0" * 32, "new": "\n"}, "Give the new text"),
        ("nothing", {}, "Choose what is changed"),
    ],
)
def test_what_can_be_in_no_profile_is_refused_at_its_field(
    kind: str, typed: dict[str, str], words: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        change(kind, **typed)
    assert words in str(refused.value)
    assert refused.value.problems[0].place.startswith(kind if kind != "nothing" else "kind")


@given(PROFILES)
@settings(max_examples=40)
def test_a_sound_profile_stays_sound_under_every_change_or_comes_back_untouched(
    body: dict[str, Any],
) -> None:
    for made in (
        change("model", new="new-model"),
        change("text", old="a", new="b"),
        change("add_tag", new="retired"),
        ProfileChange(ChangeKind.UNSET, path=("prompt",)),
    ):
        found = apply_change(made, body)
        assert not check_body(found.body).problems
        if not found.hits:
            assert found.body == body
        again = apply_change(made, found.body)
        assert made.kind is ChangeKind.TEXT or not again.hits
