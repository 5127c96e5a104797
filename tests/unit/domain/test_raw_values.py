"""Names that hold secrets, and whether what stands under them is one."""

import pytest

from fleets.domain.raw_values import (
    is_digest,
    is_raw,
    looks_random,
    may_name_secret,
    names_secret,
)


@pytest.mark.parametrize(
    "name",
    [
        "apiKey",
        "accessToken",
        "--api-key",
        "X-Auth-Token",
        "DB_PASSWORD",
        "clientSecret",
        "GITHUBTOKEN",
        "pwd",
    ],
)
def test_names_of_secrets_in_any_spelling(name: str) -> None:
    assert names_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "tokens",
        "maxTokens",
        "token_count",
        "apiKeyEnv",
        "DB_PASSWORD_FILE",
        "tokenUrl",
        "secretName",
        "key",
        "path",
        "",
    ],
)
def test_names_that_only_speak_of_secrets(name: str) -> None:
    assert not names_secret(name)


@pytest.mark.parametrize("name", ["key", "CACHE_KEY", "sig", "x-auth"])
def test_names_that_may_hold_one(name: str) -> None:
    assert may_name_secret(name)


@pytest.mark.parametrize(
    "value", ["hunter2", "a1b2c3d4e5f6a7b8", "p@ss (w0rd", "correct horse battery staple"]
)
def test_a_word_under_such_a_name_is_raw(value: str) -> None:
    assert is_raw(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "required",
        "deny",
        "${TOKEN}",
        "$TOKEN",
        "{{ token }}",
        "<your token>",
        "GITHUB_TOKEN",
        "your-api-key",
        "xxxxxxxxxxxx",
        "****",
        "changeme",
        "/run/secrets/token",
        "os.environ['X']",
        "get_token()",
        "${{ secrets.TOKEN }}",
        "It is kept in the vault.",
        "op://vault/item/field",
    ],
)
def test_references_placeholders_and_prose_are_not_raw(value: str) -> None:
    assert not is_raw(value)


def test_random_words_have_digits_and_length() -> None:
    assert looks_random("a1b2c3d4e5f6")
    assert not looks_random("internationalisation")
    assert not looks_random("a1b2")
    assert is_digest("d41d8cd98f00b204e9800998ecf8427e")
    assert is_digest("550e8400-e29b-41d4-a716-446655440000")
