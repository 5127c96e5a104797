"""What is exported reads back as unchanged, to the byte."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleets.domain.errors import InvalidInput, OverLimit
from fleets.domain.profile_body import body_text
from fleets.domain.profile_export import Entry, Form, export_profiles
from fleets.domain.profile_import.reading import read_uploads
from fleets.domain.profile_import.upload import Upload
from tests.unit.domain.profiles_made import PROFILES

SLUGS = st.lists(st.from_regex(r"[a-z][a-z0-9-]{0,6}", fullmatch=True), unique=True, max_size=3)
SLOW = settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)


def read_back(entries: list[Entry], form: Form) -> list[tuple[str, str]]:
    file = export_profiles(entries, form=form)
    found = read_uploads([Upload(file.name, file.content)])
    assert found.unread == ()
    assert not any(one.losses or one.problems for one in found.candidates)
    return [(one.slug, body_text(one.body)) for one in found.candidates]


@SLOW
@given(SLUGS.filter(bool), st.lists(PROFILES, min_size=3, max_size=3), st.sampled_from(Form))
def test_every_sound_profile_comes_back_to_the_byte(
    slugs: list[str], bodies: list[dict[str, Any]], form: Form
) -> None:
    entries = [Entry(slug, body_text(body)) for slug, body in zip(slugs, bodies, strict=False)]
    assert read_back(entries, form) == [(one.slug, one.text) for one in entries]


def test_a_profile_whose_id_is_that_of_another_kind_of_file_stays_ours() -> None:
    bodies: list[dict[str, Any]] = [
        {},
        {"mcp": {}},
        {"model": {"default": "x"}},
        {"permissions": {"allow": "deny"}},
    ]
    for form in (Form.JSON, Form.YAML):
        for body in bodies:
            assert read_back([Entry("opencode", body_text(body))], form) == [
                ("opencode", body_text(body))
            ]


def test_the_same_profiles_make_the_same_bytes() -> None:
    entries = [Entry("a", body_text({"name": "a"})), Entry("b", body_text({}))]
    for form in Form:
        first, second = (export_profiles(entries, form=form) for _ in range(2))
        assert first == second


def test_one_profile_is_a_file_of_its_own_name() -> None:
    file = export_profiles([Entry("a", body_text({"name": "x"}))], form=Form.JSON)
    assert (file.name, json.loads(file.content)) == ("a.json", {"name": "x"})
    assert export_profiles([Entry("a", "{}")], form=Form.YAML).name == "a.yaml"


def test_what_no_import_could_read_is_refused_with_another_way() -> None:
    large = Entry("a", body_text({"description": "x" * 200_000}))
    for form in (Form.YAML, Form.YAML_ZIP):
        with pytest.raises(OverLimit) as caught:
            export_profiles([large], form=form)
        assert caught.value.repairs
    with pytest.raises(InvalidInput):
        export_profiles([], form=Form.JSON)
