"""The form over a definition's document: what it does not show is never lost."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.definition import check_definition
from fleets.domain.definition_form import field_at, from_fields, to_fields

FULL: dict[str, Any] = {
    "name": "review",
    "agents": {
        "matrix": {
            "profiles": [
                {"profile": {"profileId": "fast", "revision": 3}, "placement": "dedicated"},
                {"name": "own", "profile": {"name": "Own"}, "model": {"apiKeyEnv": "KEY"}},
            ],
            "rows": "ask",
            "columns": {"task": "Task", "fields": {"path": "File path"}},
        }
    },
    "message": "Do {path}\nand stop.",
    "placement": {"agentsPerSandbox": 3},
    "budgetUsd": 3.5,
    "tags": ["a", "b"],
    "machine": {
        "files": [{"path": "a.txt", "content": " x\n"}],
        "egress": {"domains": ["a.org"], "includeImplicit": False},
    },
    "answer": {"shape": "json", "check": {"kind": "field_equals", "field": "ok", "value": True}},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda below: st.lists(below, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            [
                "agents", "matrix", "profiles", "profile", "profileId", "machine", "files", "tags",
                "count", "name", "message", "placement", "egress", "x",
            ]
        ),
        below,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


def changed(document: dict[str, Any], **fields: str) -> dict[str, Any]:
    return from_fields(document, {**to_fields(document), **fields})


def test_a_full_document_survives_the_form_to_the_byte() -> None:
    assert check_definition(FULL).problems == ()
    made = from_fields(FULL, to_fields(FULL))
    assert json.dumps(made) == json.dumps(FULL)


@settings(max_examples=200, deadline=None)
@given(document=st.dictionaries(st.text(max_size=4), JSON, max_size=3) | JSON)
def test_whatever_a_document_holds_survives_the_form(document: Any) -> None:
    if not isinstance(document, dict):
        document = {"machine": document, "agents": {"matrix": document}}
    fields = {name: text.replace("\n", "\r\n") for name, text in to_fields(document).items()}
    assert json.dumps(from_fields(document, fields)) == json.dumps(document)


def test_a_changed_field_changes_its_place_alone() -> None:
    made = changed(FULL, budget="4.00", git_url="https://example.org/a.git", rows_per_agent="5")
    assert made.pop("budgetUsd") == "4.00"
    assert made["machine"].pop("git") == {"url": "https://example.org/a.git"}
    assert made["agents"]["matrix"].pop("rowsPerAgent") == 5
    assert made == {key: one for key, one in FULL.items() if key != "budgetUsd"}


def test_an_emptied_field_takes_its_place_away_with_what_held_it() -> None:
    made = changed(FULL, domains="", implicit="", f0_path="", f0_content="", tags="")
    assert changed({"machine": {"files": [1, {}]}}, name="x")["machine"] == {"files": [1, {}]}
    assert "machine" not in made
    assert "tags" not in made


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("", {}),
        ("head", {}),
        ("expect r12", {"revision": 12}),
        ("fixed 4", {"fixed": 4}),
        ("stable", {"label": "stable"}),
    ],
)
def test_a_profile_is_named_by_its_id_and_which_revision(which: str, said: dict[str, Any]) -> None:
    made = changed(FULL, v2_profile="deep", v2_which=which, v2_harness="codex")
    variants = made["agents"]["matrix"]["profiles"]
    assert variants[2] == {"harness": "codex", "profile": {"profileId": "deep", **said}}
    assert variants[:2] == FULL["agents"]["matrix"]["profiles"]
    again = to_fields(made)
    assert (again["v2_profile"], again["v2_which"]) == ("deep", which.replace("4", "r4") or "head")


def test_an_emptied_profile_is_gone_and_one_written_out_stays() -> None:
    empty = dict.fromkeys(("v0_name", "v0_profile", "v0_which", "v0_harness", "v0_model"), "")
    made = changed(FULL, **empty, v1_name="mine")
    assert made["agents"]["matrix"]["profiles"] == [
        {"name": "mine", "profile": {"name": "Own"}, "model": {"apiKeyEnv": "KEY"}}
    ]


def test_agents_are_said_in_one_way_at_a_time() -> None:
    assert changed(FULL, kind="count", count="7")["agents"] == {"count": 7}
    made = changed({"name": "x", "agents": {"count": 7}}, kind="list", list='[{"task": "a"}]')
    assert made["agents"] == {"list": [{"task": "a"}]}


@pytest.mark.parametrize(
    ("place", "field"),
    [
        ("budgetUsd", "budget"),
        ("agents.matrix.columns.task", "column_task"),
        ("agents.matrix.profiles[2].profile.name", "v2_profile"),
        ("machine.files[0].content", "f0_content"),
        ("machine.egress.domains[3]", "domains"),
        ("agents.list[4].task", "list"),
        ("mesage", ""),
    ],
)
def test_a_problem_is_shown_at_the_field_of_its_place(place: str, field: str) -> None:
    assert field_at(place) == field


@pytest.mark.parametrize(
    "place", ["a[²]", "a[b]", "a.", "]", "machine.a[", "x[" + "9" * 5_000 + "]"]
)
def test_a_name_that_looks_like_a_path_belongs_to_no_field(place: str) -> None:
    assert field_at(place) == ""
