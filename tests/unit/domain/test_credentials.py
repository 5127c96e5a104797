"""Text that looks like a credential is found by its form."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.credentials import _PATTERNS, denotes_credential, find_credentials

# Put together here, so that no scanner takes this file for a leak.
FAKES = {
    "OpenAI style": "sk-" + "tan-0123456789abcdef",
    "service token": "svc" + "_0123456789abcdefgh",
    "GitHub token (ghp": "gh" + "p_0123456789abcdef",
    "github_pat": "github" + "_pat_0123456789abcdef",
    "AWS": "AK" + "IA0123456789ABCDEF",
    "PEM": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "bearer": "Bearer " + "eyJhbGciOi.J9.0a1b2c",
    "address": "https://user:" + "hunter2@example.com/x",
}


@pytest.mark.parametrize(("form", "text"), FAKES.items())
def test_each_form_is_found_and_named_with_its_place(form: str, text: str) -> None:
    (find,) = find_credentials(f"first line\nuse {text} here")
    assert form in find.form
    assert (find.line, find.column) == (2, 5)
    assert text not in find.form


@pytest.mark.parametrize(
    "text",
    [
        "Explain how Bearer tokens work.",
        "task-management is desk-bound",
        "sk-short",
        "https://example.com/path?page=2",
        "mail me at user@example.com",
        "the password is kept by name",
        "http://[broken",
    ],
)
def test_prose_is_left_alone(text: str) -> None:
    assert find_credentials(text) == ()


def test_a_key_in_the_query_of_an_address_is_found() -> None:
    (find,) = find_credentials("GET https://example.com/feed?api_key=1")
    assert "address" in find.form


@pytest.mark.parametrize(
    ("name", "denotes"),
    [
        ("apiKey", True),
        ("MY_TOKEN", True),
        ("set-cookie", True),
        ("github-pat", True),
        ("tokens", False),
        ("MYTOKEN", False),
        ("accessToken", False),
        ("PATH", False),
        ("api__key", False),
        ("x.token", False),
    ],
)
def test_names_that_hold_secrets_are_told_from_others(name: str, denotes: bool) -> None:
    assert denotes_credential(name) is denotes


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    finds = find_credentials(text)
    lines = text.split("\n")
    assert all(1 <= find.column <= len(lines[find.line - 1]) + 1 for find in finds)


@pytest.mark.parametrize(("form", "marks", "pattern"), _PATTERNS, ids=[one[0] for one in _PATTERNS])
def test_whatever_has_a_form_has_one_of_its_marks(
    form: str, marks: tuple[str, ...], pattern: re.Pattern[str]
) -> None:
    # No examples are made of the lookahead of the bearer form.
    made = re.compile(pattern.pattern.replace(r"(?=[^\s]*[0-9])", "0"), re.ASCII)

    @given(st.from_regex(made))
    @settings(max_examples=5)
    def has_a_mark(text: str) -> None:
        assert any(mark in text for mark in marks), form

    has_a_mark()
