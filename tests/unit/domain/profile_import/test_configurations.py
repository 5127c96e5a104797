"""Configurations of opencode and codex, maps of MCP servers, settings of Claude Code."""

import json

from tests.unit.domain.profile_import.readings import lost, pasted, said, uploaded

OPENCODE = """\
{
  // what we use
  "$schema": "https://opencode.ai/config.json",
  "model": "anthropic/claude-sonnet-4-5",
  "small_model": "anthropic/claude-haiku-4-5",
  "permission": {"edit": "deny", "bash": {"*": "ask"}},
  "tools": {"websearch": false},
  "agent": {
    "review": {"mode": "subagent", "prompt": "{file:./prompts/review.txt}", "steps": 5,
               "permission": "ask", "temperature": 0.2},
    "plan": {"mode": "primary", "description": "plans", "maxSteps": 3},
    "old": {"disable": true}
  },
  "mcp": {
    "docs": {"type": "local", "command": ["npx", "-y", "docs"], "environment": {"K": "{env:K}"}},
    "web": {"type": "remote", "url": "https://m.example/mcp", "oauth": {},
            "headers": {"Authorization": "Bearer {env:TOKEN}"}},
    "off": {"type": "local", "command": ["x"], "enabled": false},
  },
  "command": {"go": {"template": "Go.", "agent": "plan"}},
  "instructions": ["rules.md", "*.txt"],
  "theme": "dark",
}
"""
FILES = (("team/prompts/review.txt", "Review it."), ("team/rules.md", "Be kind."))


def test_an_opencode_configuration_becomes_one_profile_with_its_agents() -> None:
    (candidate,) = uploaded(("team/opencode.jsonc", OPENCODE), *FILES).candidates
    assert (candidate.slug, said(candidate)) == ("team", "")
    body = candidate.body
    assert body["harness"] == "opencode"
    assert body["model"]["small"] == "anthropic/claude-haiku-4-5"
    assert body["permissions"] == {"edit": "deny", "bash": {"*": "ask"}}
    assert body["subagents"] == {
        "review": {"prompt": "Review it.", "permissions": {"*": "ask"}, "maxSteps": 5}
    }
    assert body["modes"] == {"plan": {"description": "plans"}}
    assert body["prompt"]["instructions"] == ["Be kind."]
    assert body["resources"]["commands"][0]["content"] == "Go."
    assert body["mcp"]["docs"]["env"] == {"K": {"kind": "secret-ref", "key": "K"}}
    assert body["mcp"]["web"]["headers"]["Authorization"]["format"] == "bearer"
    assert body["mcp"]["off"] == {"enabled": False}


def test_what_opencode_says_and_a_profile_cannot_is_listed() -> None:
    (candidate,) = uploaded(("team/opencode.jsonc", OPENCODE), *FILES).candidates
    assert lost(candidate, rules=True) == ["agent.plan.maxSteps", "agent.old", "mcp.web.oauth"]
    assert lost(candidate, rules=False) == [
        "agent.review.temperature",
        "mcp.off",
        "command.go.agent",
        "instructions[1]",
        "theme",
    ]


def test_a_prompt_in_a_file_that_is_missing_is_refused() -> None:
    assert "upload the whole folder" in said(pasted(OPENCODE))


def test_the_second_version_of_opencode_is_read_too() -> None:
    body = pasted(
        json.dumps(
            {
                "agents": {
                    "reviewer": {
                        "mode": "subagent",
                        "system": "Report.",
                        "permissions": [{"action": "edit", "resource": "*", "effect": "deny"}],
                    }
                },
                "mcp": {"servers": {"docs": {"type": "remote", "url": "https://m.example"}}},
            }
        )
    ).body
    assert body["subagents"]["reviewer"] == {
        "prompt": "Report.",
        "permissions": {"edit": {"*": "deny"}},
    }
    assert body["mcp"]["docs"] == {"url": "https://m.example"}


CODEX = """\
model = "gpt-5"
model_reasoning_effort = "high"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
developer_instructions = \"\"\"
Be brief.
approval_policy = "never"
\"\"\"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]
env_vars = ["LANG"]
env = { REGION = "eu" }
startup_timeout_sec = 20

[mcp_servers.gh]
url = "https://api.example/mcp"
bearer_token_env_var = "GH_TOKEN"
disabled_tools = ["delete"]

[tools]
web_search = false

[profiles.fast]
model = "gpt-5-mini"
"""


def test_a_codex_configuration_becomes_a_profile_and_one_for_each_of_its_own() -> None:
    common, fast = uploaded(("work/.codex/config.toml", CODEX)).candidates
    assert (common.slug, fast.slug) == ("work", "work-fast")
    assert common.body["model"] == {"default": "gpt-5", "reasoningEffort": "high"}
    assert fast.body["model"] == {"default": "gpt-5-mini", "reasoningEffort": "high"}
    assert common.body["mcp"]["gh"]["headers"] == {
        "Authorization": {"kind": "secret-ref", "key": "GH_TOKEN", "format": "bearer"}
    }
    assert set(common.body["mcp"]["docs"]["env"]) == {"REGION", "LANG"}
    assert common.body["tools"] == {"web_search": False}
    assert lost(common, rules=True) == [
        "approval_policy",
        "sandbox_mode",
        "mcp_servers.gh.disabled_tools",
    ]
    assert [loss.line for loss in common.losses] == [3, 4, 20, 15]
    assert fast.line == 25


def test_toml_that_is_none_is_refused_with_its_line() -> None:
    (broken,) = uploaded(("config.toml", 'model = "a"\nb = ')).candidates
    assert "Line 2: this is no TOML" in said(broken)
    (twice,) = uploaded(("config.toml", 'model = "a"\nmodel = "b"')).candidates
    assert "Line 2: this name stands here a second time" in said(twice)


def test_a_codex_agent_file_has_its_own_name() -> None:
    text = 'name = "reviewer"\ndescription = "d"\ndeveloper_instructions = "x"\n'
    (candidate,) = uploaded((".codex/agents/r.toml", text)).candidates
    assert candidate.slug == "reviewer"
    assert candidate.body["prompt"] == {"appendSystemPrompt": "x"}


def test_a_map_of_servers_becomes_a_profile_of_servers() -> None:
    text = json.dumps(
        {
            "inputs": [{"id": "key", "type": "promptString", "password": True}],
            "servers": {
                "a": {"type": "stdio", "command": "node", "args": ["a.js"], "env": {"PORT": 80}},
                "b": {"type": "http", "url": "https://b.example/mcp", "alwaysAllow": ["x"],
                      "headers": {"X-Api-Key": "${input:key}"}},
            },
        }
    )  # fmt: skip
    (candidate,) = uploaded(("shop/.vscode/mcp.json", text)).candidates
    assert (candidate.slug, said(candidate)) == ("shop-servers", "")
    assert candidate.body["mcp"]["a"]["env"]["PORT"] == {"kind": "public", "value": "80"}
    assert candidate.body["mcp"]["b"]["headers"]["X-Api-Key"]["key"] == "key"
    assert lost(candidate, rules=True) == ["servers.b.alwaysAllow"]


def test_a_value_that_mixes_text_and_a_reference_is_refused() -> None:
    text = '{"mcpServers": {\n"a": {"command": "npx", "env": {"URL": "https://${HOST}/x"}}}}'
    assert "Line 2: mixes text and a reference" in said(pasted(text))


def test_a_server_that_is_none_is_refused_with_its_line() -> None:
    text = '{"mcpServers": {\n"a": {"args": []},\n"b": {"command": "bash"},\n"c": 1}}'
    words = said(pasted(text))
    assert "Line 2: needs command" in words
    assert "Line 3: mcp.b.command: must be one plain executable" in words
    assert "Line 4: must be an object" in words


def test_a_literal_key_of_a_server_is_refused_and_not_repeated() -> None:
    word = "q7Zk29" + "fLw1Xe83Ub"
    text = f'{{"mcpServers": {{\n"a": {{"command": "npx", "env": {{"API_KEY": "{word}"}}}}}}}}'
    candidate = pasted(text)
    assert "Line 2" in said(candidate)
    assert "secret-ref" in said(candidate)
    assert word not in repr(candidate)


def test_settings_of_claude_code_keep_their_rules() -> None:
    text = json.dumps(
        {
            "permissions": {
                "allow": ["Bash(git log:*)", "Read"],
                "deny": ["Bash(git log:*)", "Read(./.env)"],
                "defaultMode": "plan",
            },
            "env": {"A": "b"},
        }
    )
    (candidate,) = uploaded(("repo/.claude/settings.json", text)).candidates
    assert candidate.slug == "repo"
    assert candidate.body["permissions"] == {
        "Bash": {"git log:*": "deny"},
        "Read": {"*": "allow", "./.env": "deny"},
    }
    assert lost(candidate, rules=True) == ["permissions.defaultMode"]
    assert lost(candidate, rules=False) == ["env"]
