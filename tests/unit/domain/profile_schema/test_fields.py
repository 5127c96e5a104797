"""Fields of a profile: what passes, what is refused, with which code and where."""

import json
from typing import Any

import pytest

from fleets.domain.harnesses import HARNESSES
from fleets.domain.profile_schema.profile import DEEPEST, EFFORTS, check_profile
from tests.unit.domain.profile_schema.verdicts import passes, ref, said

WHOLE: dict[str, Any] = {
    "name": "reviewer",
    "description": "",
    "version": "not a version",
    "tags": ["a", "a", ""],
    "prompt": {"systemPrompt": "s", "appendSystemPrompt": "a", "instructions": ["i"]},
    "model": {
        "default": "gpt-4.1-mini",
        "small": "gpt-4.1-nano",
        "provider": "openai",
        "reasoningEffort": "ultracode",
        "maxVisibleOutputTokens": 100.0,
        "maxReasoningTokens": 100,
        "maxTotalOutputTokens": 100,
        "metadata": {"x": None},
    },
    "harness": "codex",
    "permissions": {"edit": "ask", "bash": {"git *": "allow", "": "deny"}},
    "tools": {"bash": True, "": False},
    "mcp": {"off": {"enabled": False, "metadata": {}}},
    "connections": [{"connectionId": " ", "capabilities": [" "], "alias": "a"}],
    "subagents": {"helper": {"prompt": "p", "maxSteps": -0.5, "tools": {"x": True}}},
    "resources": {
        "files": [{"path": "/../x", "resource": ref(), "executable": True}],
        "tools": [],
        "skills": [ref(), ref()],
        "agents": [{"kind": "github", "path": "p", "repository": "no/such/form", "ref": ""}],
        "commands": [],
        "instructions": "text",
        "failOnError": False,
    },
    "hooks": {"any event": [{"command": "", "timeoutMs": 0.5, "blocking": True, "matcher": "*"}]},
    "modes": {"plan": {"model": "m", "permissions": {"edit": "deny"}}},
    "confidential": {"tee": "anything", "attestationNonce": "", "sealed": True},
    "metadata": {"free": [1, None, {"deep": []}]},
    "extensions": {"vendor": {"free": None}, "": {}},
}

FILE = {"path": "p", "resource": ref()}


def test_a_profile_with_every_field_passes_unchanged() -> None:
    checked = check_profile(WHOLE)
    assert checked.issues == ()
    assert checked.profile == WHOLE


def test_an_empty_profile_passes() -> None:
    assert passes({})


@pytest.mark.parametrize("root", [None, [], "x", 1, True])
def test_a_profile_that_is_no_object_is_refused(root: Any) -> None:
    assert said(root) == [("invalid_type", "")]


@pytest.mark.parametrize("field", list(WHOLE))
def test_null_never_means_that_a_field_is_left_out(field: str) -> None:
    assert said({field: None})[0][1].startswith(field)


@pytest.mark.parametrize(
    ("profile", "place"),
    [
        ({"seats": []}, ""),
        ({"prompt": {"system": "x"}}, "prompt"),
        ({"model": {"temperature": 1}}, "model"),
        ({"connections": [{"connectionId": "c", "capabilities": ["x"], "k": 1}]}, "connections[0]"),
        ({"subagents": {"a": {"mode": "x"}}}, "subagents.a"),
        ({"modes": {"a": {"maxSteps": 1}}}, "modes.a"),
        ({"resources": {"file": []}}, "resources"),
        ({"resources": {"files": [FILE | {"mode": 1}]}}, "resources.files[0]"),
        ({"hooks": {"e": [{"command": "c", "timeout": 1}]}}, "hooks.e[0]"),
        ({"confidential": {"TEE": "x"}}, "confidential"),
    ],
)  # fmt: skip
def test_an_unknown_key_refuses_at_the_enclosing_object(profile: Any, place: str) -> None:
    assert said(profile) == [("unrecognized_keys", place)]


def test_an_unknown_key_is_named_apart_from_the_path() -> None:
    (issue,) = check_profile({"prompt": {"system": 1, "users": 2}}).issues
    assert issue.keys == ("system", "users")


def test_an_extra_proto_key_passes_unchecked_and_is_dropped() -> None:
    checked = check_profile({"prompt": {"__proto__": 5, "systemPrompt": "s"}, "__proto__": 1})
    assert checked.issues == ()
    assert checked.profile == {"prompt": {"systemPrompt": "s"}}


def test_a_proto_key_in_a_record_is_a_key_like_any_other() -> None:
    assert check_profile({"tools": {"__proto__": True}}).profile == {"tools": {"__proto__": True}}
    assert said({"tools": {"__proto__": 1}}) == [("invalid_type", "tools.__proto__")]


@pytest.mark.parametrize("name", ["maxVisibleOutputTokens", "maxReasoningTokens"])
def test_a_ceiling_may_equal_the_total_but_not_pass_it(name: str) -> None:
    assert passes({"model": {name: 10, "maxTotalOutputTokens": 10}})
    assert passes({"model": {name: 10}})
    over = {"model": {name: 11, "maxTotalOutputTokens": 10}}
    assert said(over) == [("custom", f"model.{name}")]


def test_two_ceilings_together_may_pass_the_total() -> None:
    both = {"maxVisibleOutputTokens": 8, "maxReasoningTokens": 8, "maxTotalOutputTokens": 10}
    assert passes({"model": both})


def test_a_rule_across_fields_waits_until_the_shape_is_right() -> None:
    model = {"maxReasoningTokens": 11, "maxTotalOutputTokens": 10, "extra": 1}
    assert said({"model": model}) == [("unrecognized_keys", "model")]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (0, "too_small"),
        (-1, "too_small"),
        (1.5, "invalid_type"),
        (True, "invalid_type"),
        ("1", "invalid_type"),
        (9_007_199_254_740_992, "too_big"),
        (10**400, "invalid_type"),
        (json.loads("1e400"), "invalid_type"),
    ],
)
def test_a_ceiling_is_a_whole_number_from_one(value: Any, code: str) -> None:
    assert said({"model": {"maxReasoningTokens": value}}) == [(code, "model.maxReasoningTokens")]


def test_the_largest_whole_number_and_a_whole_fraction_pass() -> None:
    assert passes({"model": {"maxReasoningTokens": 9_007_199_254_740_991}})
    assert passes({"model": {"maxReasoningTokens": 100.0}})


@pytest.mark.parametrize("effort", EFFORTS)
def test_every_effort_passes(effort: str) -> None:
    assert passes({"model": {"reasoningEffort": effort}})


@pytest.mark.parametrize("harness", HARNESSES)
def test_every_harness_passes(harness: str) -> None:
    assert passes({"harness": harness})


@pytest.mark.parametrize("harness", ["claude", "kimi", "Codex", "codex ", ""])
def test_any_other_harness_is_refused(harness: str) -> None:
    assert said({"harness": harness}) == [("invalid_value", "harness")]


@pytest.mark.parametrize("value", ["always", True, None, {"a": {"b": "ask"}}, {"a": "never"}, []])
def test_a_permission_is_a_decision_or_one_record_of_them(value: Any) -> None:
    for place in ({"permissions": {"p": value}}, {"modes": {"m": {"permissions": {"p": value}}}}):
        ((code, path),) = said(place)
        assert code == "invalid_union"
        assert path.endswith("permissions.p")


@pytest.mark.parametrize(
    ("connection", "issue"),
    [
        ({"capabilities": ["x"]}, ("invalid_type", "connections[0].connectionId")),
        ({"connectionId": "c"}, ("invalid_type", "connections[0].capabilities")),
        (
            {"connectionId": "", "capabilities": ["x"]},
            ("too_small", "connections[0].connectionId"),
        ),
        ({"connectionId": "c", "capabilities": []}, ("too_small", "connections[0].capabilities")),
        (
            {"connectionId": "c", "capabilities": [""]},
            ("too_small", "connections[0].capabilities[0]"),
        ),
        (
            {"connectionId": "c", "capabilities": ["x"], "alias": ""},
            ("too_small", "connections[0].alias"),
        ),
    ],
)
def test_a_connection_needs_an_id_and_a_capability(connection: Any, issue: Any) -> None:
    assert said({"connections": [connection]}) == [issue]


@pytest.mark.parametrize(
    "bad",
    [
        {"kind": "url", "path": "x"},
        {"kind": "inline", "name": "n"},
        {"kind": "inline", "content": "c"},
        {"kind": "github"},
        {"kind": "github", "path": "p", "content": "c"},
        ref(path="p"),
        "text",
        None,
    ],
)
@pytest.mark.parametrize("place", ["tools", "skills", "agents", "commands"])
def test_a_resource_is_inline_or_of_github(bad: Any, place: str) -> None:
    assert said({"resources": {place: [bad]}}) == [("invalid_union", f"resources.{place}[0]")]


def test_instructions_are_a_text_or_one_resource_but_no_list() -> None:
    assert passes({"resources": {"instructions": ref()}})
    bad = {"resources": {"instructions": [ref()]}}
    assert said(bad) == [("invalid_union", "resources.instructions")]


def test_a_file_needs_a_path_and_a_resource() -> None:
    assert said({"resources": {"files": [{}]}}) == [
        ("invalid_type", "resources.files[0].path"),
        ("invalid_type", "resources.files[0].resource"),
    ]


@pytest.mark.parametrize(
    ("value", "code"), [(0, "too_small"), (-1, "too_small"), ("1", "invalid_type")]
)
def test_a_hooks_time_is_above_zero(value: Any, code: str) -> None:
    hooks = {"hooks": {"e": [{"command": "c", "timeoutMs": value}]}}
    assert said(hooks) == [(code, "hooks.e[0].timeoutMs")]


def test_a_namespace_of_extensions_is_an_object() -> None:
    values: tuple[Any, ...] = (None, [], "x", 1)
    for value in values:
        assert said({"extensions": {"v": value}}) == [("invalid_union", "extensions.v")]


def test_half_a_character_is_refused_in_keys_and_not_in_values() -> None:
    half = "\ud800"
    assert passes({"name": half, "metadata": {"x": half}})
    assert said({"tools": {half: True}}) == [("invalid_key", f"tools.{half}")]
    assert said({"metadata": {half: 1}}) == [("invalid_key", f"metadata.{half}")]
    assert said({half: 1}) == [("unrecognized_keys", "")]


def test_half_a_character_deep_in_an_open_value_is_asked_last() -> None:
    deep = {"metadata": {"a": [{"\udfff": 1}]}}
    assert said(deep) == [("custom", "metadata.a[0].\udfff")]
    assert said({**deep, "name": 1}) == [("invalid_type", "name")]


def test_very_deep_input_is_refused_and_not_walked() -> None:
    value: Any = 1
    for _ in range(20_000):
        value = [value]
    assert said({"metadata": {"a": value}}) == [("custom", "")]
    fits: Any = 1
    for _ in range(DEEPEST - 4):
        fits = [fits]
    assert passes({"metadata": {"a": fits}})


def test_all_problems_are_told_at_once_and_none_repeats_a_value() -> None:
    checked = check_profile({"name": 1, "tags": ["a", "hunter2", 3], "harness": "hunter2"})
    places = [issue.path for issue in checked.issues]
    assert places == [("name",), ("tags", 2), ("harness",)]
    assert not any("hunter2" in issue.message for issue in checked.issues)
