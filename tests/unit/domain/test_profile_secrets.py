"""Raw keys in a profile are found wherever they stand, and nothing of them is repeated."""

from typing import Any

import pytest
from hypothesis import given

from fleets.domain.json_lines import read_json
from fleets.domain.profile_problems import check_body
from fleets.domain.profile_schema.shapes import show_path
from fleets.domain.profile_secrets import find_secrets, secret_problems
from fleets.domain.yaml_lines import read_yaml
from tests.unit.domain.profile_schema.test_fields import WHOLE
from tests.unit.domain.profile_schema.test_properties import JSON

# Put together here, so that no scanner takes this file for a leak.
KEY = "sk-" + "live-8f3a9c1d2e4b"
SLACK = "xo" + "xb-2481632-abcdefGHIJ"
WORD = "q7Zk" + "29fLw1Xe83Ub"
BASIC = "Basic " + "YWRtaW46aHVudGVyMg=="


def local(**more: Any) -> dict[str, Any]:
    return {"mcp": {"docs": {"command": "npx", **more}}}


def public(value: str) -> dict[str, str]:
    return {"kind": "public", "value": value}


def remote(url: str, **more: Any) -> dict[str, Any]:
    return {"mcp": {"m": {"url": url, **more}}}


def inline(content: str) -> dict[str, Any]:
    return {"kind": "inline", "name": "s", "content": content}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "public variable": (local(env={"REGION": public(KEY)}), "mcp.docs.env.REGION.value"),
    "variable by name": (
        local(env={"accessToken": public("hunter2")}),
        "mcp.docs.env.accessToken.value",
    ),
    "bare variable": (local(env={"API_KEY": WORD}), "mcp.docs.env.API_KEY"),
    "random under a weak name": (
        local(env={"SERVICE_KEY": public(WORD)}),
        "mcp.docs.env.SERVICE_KEY.value",
    ),
    "argument after a flag": (
        local(args=[public("--api-key"), public("hunter2")]),
        "mcp.docs.args[1].value",
    ),
    "argument with a value": (local(args=[public("--token=hunter2")]), "mcp.docs.args[0].value"),
    "header in an argument": (local(args=[public("X-Api-Key: hunter2")]), "mcp.docs.args[0].value"),
    "header": (
        remote("https://m.example", headers={"X-Session": public(BASIC)}),
        "mcp.m.headers.X-Session.value",
    ),
    "password in an address": (remote("https://me:hunter2@m.example/sse"), "mcp.m.url"),
    "key in an address": (remote(f"https://m.example/sse?api_key={WORD}"), "mcp.m.url"),
    "key in a path": (remote(f"https://m.example/{WORD * 3}/sse"), "mcp.m.url"),
    "system prompt": ({"prompt": {"systemPrompt": f"Use {KEY}."}}, "prompt.systemPrompt"),
    "instruction": (
        {"prompt": {"instructions": ["a", f"export FEED_TOKEN={WORD}"]}},
        "prompt.instructions[1]",
    ),
    "skill": (
        {"resources": {"skills": [inline(f"secret: {WORD}")]}},
        "resources.skills[0].content",
    ),
    "file": (
        {"resources": {"files": [{"path": ".env", "resource": inline(f"DB_PASSWORD='{WORD}'")}]}},
        "resources.files[0].resource.content",
    ),
    "hook": ({"hooks": {"stop": [{"command": f"notify --token {WORD}"}]}}, "hooks.stop[0].command"),
    "metadata": ({"metadata": {"slack": {"note": SLACK}}}, "metadata.slack.note"),
    "metadata by name": ({"metadata": {"password": "hunter2"}}, "metadata.password"),
    "number by name": ({"metadata": {"password": 12345678}}, "metadata.password"),
    "list by name": ({"extensions": {"x": {"token": ["a", "hunter2"]}}}, "extensions.x.token[0]"),
    "key of a model": ({"model": {"apiKey": WORD}}, "model.apiKey"),
    "name": ({"tools": {KEY: True}}, "tools.…"),
    "subagent": (
        {"subagents": {"s": {"prompt": f'"client_secret": "{WORD}"'}}},
        "subagents.s.prompt",
    ),
}


@pytest.mark.parametrize(("body", "place"), REFUSED.values(), ids=REFUSED.keys())
def test_a_raw_key_is_refused_with_its_place_and_never_repeated(body: Any, place: str) -> None:
    issues = find_secrets(body)
    assert show_path(issues[0].path) == place
    told = f"{issues} {secret_problems(body, line_of=lambda _path: 1)}"
    assert not any(secret in told for secret in (KEY, WORD, SLACK, BASIC, "hunter2", "12345678"))


PASSING: dict[str, Any] = {
    "secret-ref": local(env={"API_KEY": {"kind": "secret-ref", "key": "docs-api-key-2024-a1b2"}}),
    "name of a variable": local(env={"TOKEN_ENV": public("GITHUB_TOKEN")}),
    "argument naming a variable": local(args=[public("--token"), public("GITHUB_TOKEN")]),
    "argument with a reference": local(args=[public("Authorization: Bearer ${DOCS_TOKEN}")]),
    "version": local(args=[public("-y"), public("@scope/server@1.2.3")]),
    "permission": {"permissions": {"read_secret": "deny", "token": {"*": "ask"}}},
    "tool": {"tools": {"token": True, "get-secret": False}},
    "subagent by such a name": {"subagents": {"token": {"prompt": "Count tokens."}}},
    "ceilings": {"model": {"maxTotalOutputTokens": 4096}, "metadata": {"tokenLimit": 8192}},
    "ordinary word": {"metadata": {"authorization": "required", "cookie": "none"}},
    "uuid": {"metadata": {"id": "550e8400-e29b-41d4-a716-446655440000"}},
    "digest": {"metadata": {"cacheKey": "9e107d9d372bb6826bd81d3542a419d6"}},
    "plain address": remote("https://mcp.example.com/v1/9e107d9d372bb6826bd81d35"),
}

PROSE = (
    "Never print a token, a password or a secret: rotate it instead.",
    "Explain how Bearer tokens work; the token: short, the password: long.",
    "Set API_KEY=<your key> or export API_KEY=$OTHER before the start.",
    "Use sk-xxxxxxxxxxxxxxxx or sk-your-key-here as a placeholder, AKIAIOSFODNN7EXAMPLE in docs.",
    "postgres://user:password@localhost:5432/db and https://${USER}:${TOKEN}@example.com/x",
    "git clone ssh://git@example.com/team/repo.git",
    'token = os.environ["FEED_TOKEN"]; password = get_password(user)',
    "token: ${{ secrets.RELEASE_TOKEN }}",
    "Commit 9fceb02d0ae598e95dc970b74767f19372d61af8, sha256:e3b0c44298fc1c149afbf4c8996fb924",
    "password_file: /run/secrets/db1-password, token_url=https://id.example.com/v1/token2",
    "task-management is desk-bound; basic authentication is off; Basic questions first.",
    "A cookie: taste it. The secret: patience-and-practice.",
)


@pytest.mark.parametrize("body", PASSING.values(), ids=PASSING.keys())
def test_names_references_and_settings_pass(body: Any) -> None:
    assert find_secrets(body) == []


@pytest.mark.parametrize("text", PROSE)
def test_prose_hashes_and_placeholders_pass(text: str) -> None:
    assert find_secrets({"prompt": {"systemPrompt": text}}) == []


def test_the_whole_sound_profile_passes() -> None:
    assert find_secrets(WHOLE) == []


def test_the_line_of_the_source_and_of_the_text_are_told() -> None:
    text = f"name: a\nmcp:\n  docs:\n    command: npx\n    env:\n      API_KEY: {WORD}\n"
    source = read_yaml(text, place="")
    (problem,) = secret_problems(source.value, line_of=source.line_of)
    assert problem.place == "Line 6, mcp.docs.env.API_KEY"
    assert "secret-ref" in problem.message
    source_2 = read_json(f'{{\n"prompt": {{\n"systemPrompt": "a\\nb {KEY}"}}}}', place="")
    (problem,) = secret_problems(source_2.value, line_of=source_2.line_of)
    assert problem.place == "Line 3, prompt.systemPrompt"
    assert "in line 2 of this text" in problem.message
    assert "apiKeyEnv" in problem.message


def test_a_secret_used_as_a_name_is_found_at_its_line_and_hidden() -> None:
    source = read_json(f'{{"tools": {{\n"a": true,\n"{KEY}": true}}}}', place="")
    (problem,) = secret_problems(source.value, line_of=source.line_of)
    assert problem.place == "Line 3, tools.…"


@pytest.mark.parametrize("name", [KEY, SLACK, BASIC, f"API_KEY={WORD}"])
def test_no_problem_tells_a_name_that_is_a_secret(name: str) -> None:
    problems = check_body({name: 1, "tools": {name: 2}, "subagents": {name: 3}}).problems
    assert len(problems) >= 3
    assert name not in "".join(str(one.as_problem) for one in problems)


@given(JSON)
def test_any_json_can_be_searched(value: Any) -> None:
    for issue in find_secrets(value):
        assert issue.message
