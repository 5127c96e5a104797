"""MCP servers, config values, addresses and credentials in profiles."""

from typing import Any

import pytest

from fleets.domain.profile_schema.urls import parse_url
from tests.unit.domain.profile_schema.verdicts import (
    local,
    passes,
    public,
    remote,
    said,
    secret,
    variable,
)

VALUE = {"kind": "public", "value": "x"}
SECRET = {"kind": "secret-ref", "key": "K"}


@pytest.mark.parametrize(
    "server",
    [
        {"command": "node"},
        {"command": "node", "transport": "stdio", "enabled": True, "args": [], "env": {}},
        {"command": "node", "cwd": "tools", "metadata": {}},
        {"url": "http://127.0.0.1"},
        {"url": "https://example.org", "transport": "sse", "headers": {"X-A": VALUE}},
        {"url": "https://example.org", "transport": "http", "enabled": True},
        {"enabled": False},
    ],
)
def test_each_of_the_three_servers_passes(server: Any) -> None:
    assert passes({"mcp": {"s": server}})


@pytest.mark.parametrize(
    "server",
    [
        {},
        {"enabled": True},
        {"command": "node", "url": "https://example.org"},
        {"command": "node", "transport": "http"},
        {"command": "node", "enabled": False},
        {"command": "node", "headers": {}},
        {"url": "https://example.org", "args": []},
        {"url": "https://example.org", "transport": "stdio"},
        {"url": "https://example.org", "cwd": "x"},
        {"enabled": False, "transport": "stdio"},
        {"enabled": False, "command": "node"},
        {"command": 1},
        {"command": "node", "args": ["bare"]},
        [],
        None,
    ],
)
def test_a_server_of_no_shape_is_refused_at_its_place(server: Any) -> None:
    assert said({"mcp": {"s": server}}) == [("invalid_union", "mcp.s")]


@pytest.mark.parametrize(
    "command",
    ["node", "/usr/bin/python3", "a.b_c+d-e", "bin/tool", "bash.exe", "dash", "env", "python3"],
)
def test_a_plain_executable_passes(command: str) -> None:
    assert passes(local(command=command))


@pytest.mark.parametrize(
    "command",
    [
        *("", " ", "node server.js", "@scope/x", "a:b", "~/x", "a\\b", "//x", "x/", "/", "a//b"),
        *("./x", "../x", "a/../b", "sh", "/bin/BASH", "Cmd.Exe", "powershell", "pwsh", "x\n"),
    ],
)
def test_an_unsafe_command_is_refused_at_the_command(command: str) -> None:
    assert said(local(command=command)) == [("custom", "mcp.s.command")]


@pytest.mark.parametrize("folder", [".", "a", "a b/c", "a/.gitx", "…"])
def test_a_folder_of_the_workspace_passes(folder: str) -> None:
    assert passes(local(cwd=folder))


@pytest.mark.parametrize(
    "folder",
    [
        *("", "/a", "a/", "a//b", "./a", "a/.", "..", "a/..", ".git", "a/.git/b", "x/.sidecar"),
        *("C:", "c:/x", "a\\b", "a\tb", "a\x7f", "\ud800"),
    ],
)
def test_a_folder_outside_the_workspace_is_refused(folder: str) -> None:
    assert said(local(cwd=folder)) == [("custom", "mcp.s.cwd")]


@pytest.mark.parametrize(
    "url",
    [
        *("https://example.org", "http://localhost:8080/x?y=z#token=1", "HTTPS://EXAMPLE.ORG"),
        *(" https://example.org ", "https:example.org", "https://example.org/a b", "http:\\\\x"),
        *("http://[::1]:80", "http://1.2.3.4", "http://127.1", "http://0x7f.1", "https:///x"),
        *("https://bücher.example", "http://10.0.0.1", "https://example.org:65535", "http://x:"),
        "https://example.org?tokens=1",
    ],
)
def test_an_address_that_a_browser_would_open_passes(url: str) -> None:
    assert passes(remote(url))


@pytest.mark.parametrize(
    "url",
    [
        *("", " ", "example.org", "/x", "ftp://example.org", "file:///x", "https://", "https:"),
        *("https://exa mple.org", "https://example.org:65536", "https://example.org:x"),
        *("http://1.2.3.256", "http://1.2.3.4.5", "http://[::1", "http://[zz]", "http://a%00b"),
        *("https://user@example.org", "https://:pass@example.org", "https://example.org?token=1"),
        *("https://example.org?a=1&API%5Fkey=", "https://x/sk-abcdefghijkl", "http://09"),
    ],
)
def test_any_other_address_is_refused_at_the_url(url: str) -> None:
    assert said(remote(url)) == [("custom", "mcp.s.url")]


@pytest.mark.parametrize("name", ["A", "_", "a1_B", "PATH", "MYTOKEN", "accessToken", "api__key"])
def test_a_plain_variable_may_be_public(name: str) -> None:
    assert passes(variable(name, VALUE))


@pytest.mark.parametrize("name", ["", "1A", "A-B", "A B", "Ä", "A\n", "A.B"])
def test_an_illegal_variable_is_refused_whatever_it_holds(name: str) -> None:
    for value in (VALUE, SECRET):
        assert said(variable(name, value)) == [("custom", f"mcp.s.env.{name}")]


@pytest.mark.parametrize(
    "name",
    [
        *("API_KEY", "apikey", "apiKey", "MY_TOKEN", "ACCESS_KEY", "privatekey", "DATABASE_URL"),
        *("token", "SECRET", "PASSWORD", "credential", "CREDENTIALS", "authorization", "COOKIE"),
        *("DSN", "GH_PAT"),
    ],
)
def test_a_variable_that_names_a_credential_needs_a_secret(name: str) -> None:
    assert said(variable(name, VALUE)) == [("custom", f"mcp.s.env.{name}")]
    assert passes(variable(name, SECRET))


@pytest.mark.parametrize("name", ["set-cookie", "Authorization", "github-pat", "x-api-key"])
def test_a_header_that_names_a_credential_needs_a_secret(name: str) -> None:
    assert said(remote(headers={name: VALUE})) == [("custom", f"mcp.s.headers.{name}")]
    assert passes(remote(headers={name: {**SECRET, "format": "bearer"}}))


@pytest.mark.parametrize("name", ["x.token", "tokens", "X!#$%&'*+^_`|~"])
def test_a_header_is_an_http_token(name: str) -> None:
    assert passes(remote(headers={name: VALUE}))


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a\n", "ä", "a/b"])
def test_a_header_of_another_form_is_refused(name: str) -> None:
    assert said(remote(headers={name: VALUE})) == [("custom", f"mcp.s.headers.{name}")]


def test_the_same_rules_hold_for_hooks() -> None:
    hook = {"command": "x", "env": {"MY_TOKEN": VALUE}}
    assert said({"hooks": {"e": [hook]}}) == [("custom", "hooks.e[0].env.MY_TOKEN")]


def test_a_value_with_another_kind_is_refused_at_its_kind() -> None:
    hook = {"command": "x", "env": {"A": {"kind": "plain", "value": "v"}}}
    assert said({"hooks": {"e": [hook]}}) == [("invalid_union", "hooks.e[0].env.A.kind")]
    bare = {"command": "x", "env": {"A": "v"}}
    assert said({"hooks": {"e": [bare]}}) == [("invalid_type", "hooks.e[0].env.A")]


@pytest.mark.parametrize(
    "value",
    ["", "plain", "\x80", "sk-short", "xsk-abcdefghijklm", "Bearer", "Bearer ", "ghp_short", "a@b"],
)
def test_a_public_value_may_be_any_plain_text(value: str) -> None:
    assert passes(public(value))


@pytest.mark.parametrize(
    "value",
    [
        *("a\tb", "a\n", "\x00", "\x7f", "\ud800"),
        *("sk-abcdefghij", "SET sk_0123456789 NOW", "ghp_abcdefghijkl", "ghs_ABCDEFGHIJ12"),
        *("github_pat_abcdefghijkl", "AKIAABCDEFGHIJKL", "-----BEGIN RSA PRIVATE KEY-----"),
        *("-----BEGIN PRIVATE KEY-----", "Bearer x", "say Bearer\u00a0x", "äsk-abcdefghij"),
        *("redis://:pw@host", "postgres://me@host/db", "x:?token=1", "mailto:a?password="),
    ],
)
def test_a_public_value_that_may_be_a_secret_is_refused(value: str) -> None:
    assert said(public(value)) == [("custom", "mcp.s.args[0].value")]


@pytest.mark.parametrize("key", ["K", "with space", "x" * 500, "😀" * 250, "\x85x"])
def test_a_secret_is_named_by_up_to_five_hundred_units(key: str) -> None:
    assert passes(secret(key, format="raw"))


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("", "too_small"),
        ("x" * 501, "too_big"),
        ("😀" * 251, "too_big"),
        (" \ufeff ", "custom"),
        ("a\nb", "custom"),
        ("\ud800", "custom"),
        ("sk-abcdefghij", "custom"),
    ],
)
def test_a_name_of_a_secret_that_is_none_is_refused(key: str, code: str) -> None:
    assert said(secret(key)) == [(code, "mcp.s.args[0].key")]


@pytest.mark.parametrize(
    ("text", "names"),
    [("x:?a=1&b", ("a", "b")), ("http://h?a+b=1#?c=2", ("a b",)), ("data:x?%61=1", ("a",))],
)
def test_the_names_of_a_query_are_decoded(text: str, names: tuple[str, ...]) -> None:
    url = parse_url(text)
    assert url is not None
    assert url.query_names == names
