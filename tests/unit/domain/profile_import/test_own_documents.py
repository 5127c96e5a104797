"""Our own JSON and YAML, one document or many."""

import json

import pytest

from fleets.domain.profile_import.reading import read_pasted
from tests.unit.domain.profile_import.readings import lost, pasted, said, uploaded


def test_a_file_of_one_profile_lends_it_its_name() -> None:
    (candidate,) = uploaded(("deep/code-reviewer.json", '{"tags": ["a"]}')).candidates
    assert (candidate.slug, candidate.body) == ("code-reviewer", {"tags": ["a"]})


def test_entries_lists_and_streams_are_read() -> None:
    listed = json.dumps({"profiles": [{"profileId": "a", "profile": {}}, {"name": "B c"}]})
    assert [one.slug for one in read_pasted(listed).candidates] == ["a", "b-c"]
    stream = "---\nname: one\n---\nprofileId: two\nprofile: {harness: codex}\n---\n"
    first, second = read_pasted(stream).candidates
    assert (first.slug, second.slug, second.line) == ("one", "two", 4)
    assert second.body == {"harness": "codex"}


def test_words_that_other_versions_of_yaml_convert_stay_words() -> None:
    body = pasted("name: a\ntags: [no, on, y, 0o17x, 12:30, 1.2.3]\n").body
    assert body["tags"] == ["no", "on", "y", "0o17x", "12:30", "1.2.3"]


@pytest.mark.parametrize("word", ["017", "0o17", "0x1F", "1e3", "1_000", ".5"])
def test_what_yaml_takes_for_a_number_must_be_quoted_in_a_text(word: str) -> None:
    assert "Line 2: tags[0]: must be text, not a number. Put it in quotes." in said(
        pasted(f"name: a\ntags: [{word}]\n")
    )
    assert pasted(f'name: a\ntags: ["{word}"]\n').body["tags"] == [word]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"name": "a", "name": "b"}', "a second time"),
        ('{"name": "a",\n"nope": 1}', "nope"),
        ('{"name": "a"', "this is no JSON"),
        ("name: a\ntools: {<<: *x}\n", "Line 2"),
        ("a: &x {b: 1}\nc: *x\n", "alias"),
        ("[]", "There is no profile in it"),
        ("[1]", "must be a profile"),
        ('{"profileId": "a"}', "profile must be an object"),
        ('{"profileId": 1, "profile": {}}', "profileId must be text"),
        ("{}", "add profileId"),
        ('{"name": "' + "a" * 80 + '", "harness": "codx"}', "must be one of"),
        ("[" * 200 + "]" * 200, "nested more than 100 levels"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "nested too deep"),
    ],
)
def test_what_is_no_profile_is_refused(text: str, words: str) -> None:
    assert words in said(pasted(text))


def test_a_field_too_many_beside_an_entry_is_listed() -> None:
    candidate = pasted('{"profileId": "a", "profile": {}, "owner": "x"}')
    assert lost(candidate, rules=False) == ["owner"]


def test_two_of_one_id_are_both_refused_with_the_place_of_the_other() -> None:
    first, second = uploaded(("a.json", '{"name": "x"}'), ("b/a.yaml", "name: y")).candidates
    assert "stands twice in this upload (b/a.yaml line 1)" in said(first)
    assert "(a.json line 1)" in said(second)


def test_nothing_pasted_is_said_so() -> None:
    assert read_pasted(" \n").unread[0].reason == "There is nothing in it."
