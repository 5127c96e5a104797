"""Form, source and what is stored say the same: no way between them loses or changes anything."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.profile_body import body_text
from fleets.domain.profile_diff import field_changes, same
from fleets.domain.profile_document import (
    Syntax,
    in_syntax,
    read_document,
    with_form,
    write_document,
)
from fleets.domain.profile_form import apply, fields_of
from fleets.domain.profile_problems import check_body
from fleets.domain.profile_schema.profile import check_profile
from tests.unit.domain.profile_bodies import BODIES
from tests.unit.domain.profile_schema.test_fields import WHOLE

SYNTAXES = st.sampled_from(list(Syntax))


def as_posted(body: Any) -> dict[str, str]:
    """What a browser sends of a form that nobody touched: line ends are its own."""
    fields = fields_of(body).values()
    return {one.name: one.text.replace("\n", "\r\n") for one in fields if not one.is_locked}


@settings(max_examples=60, deadline=None)
@given(BODIES, SYNTAXES)
def test_a_form_that_nobody_touched_leaves_the_text_as_it_was(body: Any, syntax: Syntax) -> None:
    document = write_document(body, syntax)
    assert with_form(document, as_posted(body)) is document


@settings(max_examples=60, deadline=None)
@given(BODIES)
def test_source_in_both_syntaxes_and_what_is_stored_are_the_same_profile(body: Any) -> None:
    stored = body_text(body)
    document = read_document(stored, Syntax.JSON)
    there = in_syntax(document, Syntax.YAML)
    back = in_syntax(there, Syntax.JSON)
    assert same(there.body, body)
    assert back.text == stored
    checked = check_body(back.body)
    assert checked.problems or checked.text == stored


@settings(max_examples=60, deadline=None)
@given(BODIES, st.data())
def test_a_changed_field_changes_its_own_place_and_no_other(body: Any, data: Any) -> None:
    fields = {name: one for name, one in fields_of(body).items() if not one.is_locked}
    name = data.draw(st.sampled_from(sorted(one for one in fields if not one.endswith("kind"))))
    typed = as_posted(body) | {name: "x = allow"}
    top = fields[name].path[0]
    changed = apply(body, typed)
    for change in field_changes(body, changed):
        assert change.path[0] == top
    if fields[name].text != "x = allow":
        assert not same(body, changed)


def test_what_is_drawn_has_every_field_of_the_schema_and_is_accepted_by_it() -> None:
    seen: set[str] = set()

    @settings(max_examples=60, deadline=None, database=None)
    @given(BODIES)
    def draw(body: Any) -> None:
        seen.update(body)
        assert check_profile(body).issues == ()

    draw()
    assert seen == set(WHOLE)


def test_the_form_writes_what_is_typed() -> None:
    typed = {
        "name": "reviewer",
        "tags": "review, nightly",
        "harness": "codex",
        "model": "gpt-4.1-mini",
        "total": "8192",
        "system": "You review.\r\nOne file.",
        "instructions-new": "Read first.",
        "permissions": "edit = ask\nbash > git * = allow\nbash > rm * = deny",
        "tools": "webfetch = off",
        "skill-new-name": "pytest",
        "skill-new-content": "Use -k.",
        "mcp-new-name": "issues",
        "mcp-new-where": "https://issues.example.org/mcp",
        "mcp-new-values": "Authorization = secret:ISSUES bearer",
    }
    body = apply({}, typed)
    assert check_body(body).problems == ()
    assert body == {
        "name": "reviewer",
        "tags": ["review", "nightly"],
        "harness": "codex",
        "model": {"default": "gpt-4.1-mini", "maxTotalOutputTokens": 8192},
        "prompt": {"systemPrompt": "You review.\nOne file.", "instructions": ["Read first."]},
        "permissions": {"edit": "ask", "bash": {"git *": "allow", "rm *": "deny"}},
        "tools": {"webfetch": False},
        "resources": {"skills": [{"kind": "inline", "name": "pytest", "content": "Use -k."}]},
        "mcp": {
            "issues": {
                "url": "https://issues.example.org/mcp",
                "headers": {
                    "Authorization": {"kind": "secret-ref", "key": "ISSUES", "format": "bearer"}
                },
            }
        },
    }
    assert fields_of(body)["mcp-0-kind"].text == "remote"


@pytest.mark.parametrize(
    ("body", "typed", "after"),
    [
        ({"name": "a", "x": 1}, {"name": ""}, {"x": 1}),
        ({"model": {"default": "m", "metadata": {}}}, {"model": ""}, {"model": {"metadata": {}}}),
        ({"model": {"default": "m"}}, {"model": " "}, {}),
        (
            {"prompt": {"instructions": ["a", "b", "c"]}},
            {"instructions-1": ""},
            {"prompt": {"instructions": ["a", "c"]}},
        ),
        (
            {"mcp": {"a": {"url": "u"}, "b": {"url": "v"}}},
            {"mcp-0-name": "c", "mcp-1-remove": "on"},
            {"mcp": {"c": {"url": "u"}}},
        ),
        (
            {"mcp": {"a": {"url": "u"}, "b": {"url": "v"}}},
            {"mcp-1-name": "a"},
            {"mcp": {"a": {"url": "u"}, "a-2": {"url": "v"}}},
        ),
        (
            {"mcp": {"a": {"command": "npx", "cwd": "x", "metadata": {"k": 1}}}},
            {"mcp-0-args": "-y\nserver"},
            {
                "mcp": {
                    "a": {
                        "command": "npx",
                        "cwd": "x",
                        "metadata": {"k": 1},
                        "args": [
                            {"kind": "public", "value": "-y"},
                            {"kind": "public", "value": "server"},
                        ],
                    }
                }
            },
        ),
        ({"model": "wrong"}, {"model": "gpt-4.1"}, {"model": "wrong"}),
        ({}, {"total": "many"}, {"model": {"maxTotalOutputTokens": "many"}}),
    ],
)
def test_clearing_and_changing_touch_only_what_they_mean(
    body: Any, typed: Mapping[str, str], after: Any
) -> None:
    assert apply(body, typed) == after


def test_what_a_field_cannot_hold_is_locked() -> None:
    body = {
        "name": "two\nlines",
        "tags": ["a, b"],
        "prompt": {"systemPrompt": "bell \a"},
        "permissions": {"a = b": "allow"},
        "model": {"maxTotalOutputTokens": 7.0},
    }
    fields = fields_of(body)
    for name in ("name", "tags", "system", "permissions", "total"):
        assert fields[name].is_locked, name
    assert not fields["description"].is_locked


def test_a_text_that_cannot_be_read_says_in_which_line_and_stays_as_it_is() -> None:
    broken = '{\n  "name": "x",\n  oops\n}'
    document = read_document(broken, Syntax.JSON)
    assert document.problems[0][0] == 3
    assert in_syntax(document, Syntax.YAML) is document
    assert with_form(document, {"name": "y"}) is document
    assert document.text == broken


def test_problems_come_with_line_path_and_the_name_that_was_meant() -> None:
    text = "name: x\nmodel:\n  defalt: gpt-4.1\nharness: open-code\n"
    found = [
        (line, one.shown_path, one.suggestion)
        for line, one in read_document(text, Syntax.YAML).problems
    ]
    assert found == [(3, "model.defalt", "default"), (4, "harness", "opencode")]


def test_a_text_with_a_secret_is_known_before_it_is_kept() -> None:
    key = "sk-" + "a1b2c3d4e5f6g7h8"
    assert read_document(f'{{"prompt": {{"systemPrompt": "{key}"}}}}', Syntax.JSON).has_secret
    assert read_document(f'{{"broken {key}', Syntax.JSON).has_secret
    assert not read_document('{"name": "x"}', Syntax.JSON).has_secret
