"""Markdown agent files: fields, rules, and what front matter of real files looks like."""

import pytest

from tests.unit.domain.profile_import.readings import lost, pasted, said, uploaded

KEY = "sk-" + "live-8f3a9c1d2e4b"
CLAUDE = """\
---
name: code-reviewer
description: Reviews changes
tools: Read, Grep, Bash(git log:*)
disallowedTools: [Write, "Bash(rm:*)"]
model: sonnet
effort: high
permissionMode: plan
color: red
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - {type: command, command: ./check, timeout: 5}
        - {type: prompt, prompt: hm}
mcpServers:
  - docs
  - search: {command: npx, args: [-y, find]}
---

You review.

- Be kind.
"""


def test_a_claude_agent_keeps_prompt_model_tools_and_hooks() -> None:
    body = pasted(CLAUDE).body
    assert body["prompt"] == {"systemPrompt": "You review.\n\n- Be kind."}
    assert body["model"] == {"default": "sonnet", "reasoningEffort": "high"}
    assert body["tools"] == {"*": False, "Read": True, "Grep": True, "Bash": True}
    assert body["hooks"] == {
        "PreToolUse": [{"command": "./check", "timeoutMs": 5000, "matcher": "Bash"}]
    }
    assert body["mcp"]["search"]["command"] == "npx"


def test_its_rules_are_kept_or_listed_never_dropped() -> None:
    candidate = pasted(CLAUDE)
    assert candidate.body["permissions"] == {
        "Bash": {"*": "deny", "git log:*": "allow", "rm:*": "deny"},
        "Write": "deny",
    }
    assert lost(candidate, rules=True) == [
        "tools",
        "permissionMode",
        "hooks.PreToolUse[0].hooks[1]",
    ]
    assert lost(candidate, rules=False) == ["color", "mcpServers[0]"]
    assert [loss.line for loss in candidate.losses if loss.what == "color"] == [9]


@pytest.mark.parametrize("tools", ["[]", "'*'", '["*"]'])
def test_an_empty_list_of_tools_is_none_and_a_star_is_all(tools: str) -> None:
    body = pasted(f"---\nname: a\ntools: {tools}\n---\nx").body
    assert body.get("tools") == ({"*": False} if tools == "[]" else None)


def test_an_opencode_agent_keeps_its_switches_and_permissions() -> None:
    text = """---
description: d
mode: subagent
model: anthropic/claude-sonnet-4-5#high
tools: {write: false}
permission:
  edit: deny
  bash: {"*": ask, "git status": allow}
  webfetch: sometimes
temperature: 0.1
---
p
"""
    (candidate,) = uploaded((".opencode/agent/review.md", text)).candidates
    assert candidate.slug == "review"
    assert candidate.body["harness"] == "opencode"
    assert candidate.body["model"]["reasoningEffort"] == "high"
    assert candidate.body["permissions"] == {
        "edit": "deny",
        "bash": {"*": "ask", "git status": "allow"},
    }
    assert lost(candidate, rules=True) == ["permission.webfetch"]
    assert lost(candidate, rules=False) == ["mode", "temperature"]


def test_rules_one_by_one_are_kept_in_their_order() -> None:
    text = """---
name: a
permissions:
  - {action: shell, resource: "*", effect: deny}
  - {action: shell, resource: "git *", effect: allow}
  - {action: shell, resource: "*", effect: ask}
  - {action: edit}
---
p
"""
    candidate = pasted(text)
    assert list(candidate.body["permissions"]["shell"].items()) == [
        ("git *", "allow"),
        ("*", "ask"),
    ]
    assert lost(candidate, rules=True) == ["permissions[3]"]


def test_a_skill_uploaded_with_the_agent_comes_along() -> None:
    found = uploaded(
        (".claude/agents/a.md", "---\nname: a\nskills: [pdf, other]\n---\nx"),
        (".claude/skills/pdf/SKILL.md", "---\nname: pdf\n---\nRead it."),
        (".claude/commands/go.md", "---\ndescription: go\n---\nGo."),
        ("README.md", "# Agents"),
    )
    (candidate,) = found.candidates
    assert candidate.body["harness"] == "claude-code"
    assert candidate.body["resources"]["skills"][0]["name"] == "pdf"
    assert lost(candidate, rules=False) == ["skills[1]"]
    assert [one.place for one in found.unread] == [
        ".claude/skills/pdf/SKILL.md",
        ".claude/commands/go.md",
        "README.md",
    ]


def test_prose_with_colons_is_taken_as_it_stands_and_said_so() -> None:
    candidate = pasted("---\nname: a\ndescription: Use when: asked. Example: # 1\n---\nx")
    assert candidate.body["description"] == "Use when: asked. Example: # 1"
    assert "no YAML" in candidate.notes[0]


@pytest.mark.parametrize(
    ("matter", "words"),
    [
        ("name: a\n\ttools: x", "Line 3: it begins with a tab"),
        ("name: a\nname: b", "Line 3: this name stands here a second time"),
        ("name: &n a\nmodel: *n", "Line 3: an alias (*) is not understood here"),
        ("name: a\ntools: [x", "the front matter is no YAML: put a text with a colon"),
        ("name: !!python/object:x a", "Line 2: a tag (!) is not understood"),
        ("- a\n- b", "must be fields"),
        ("name: 007", "must be text, not a number. Put it in quotes."),
        ("name: 1e3", "must be text, not a number. Put it in quotes."),
        ("name: true", "must be text, not true or false. Put it in quotes."),
        ("name: 審査員", "add profileId"),
        ("name: a\nprofileId: A B", "profileId: small letters"),
        (f"name: a\nmcpServers: {'[' * 120}{']' * 120}", "nested more than 100 levels"),
        (f"name: a\ndescription: {KEY}", "Line 3, description"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line_and_the_way_out(
    matter: str, words: str
) -> None:
    candidate = pasted(f"---\n{matter}\n---\nx")
    assert words in said(candidate)
    assert candidate.body == {}
    assert KEY not in repr(candidate)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("---\nname: no\n---\nx", "no"),
        ("---\nname: on\n---\nx", "on"),
        ("---\nname: 2026-11-29\n---\nx", "2026-11-29"),
        ("\ufeff---\r\nname: bom\r\n---\r\nline\r\nline", "bom"),
        ("---\nname: Prüfer für Öl\n---\nx", "Prüfer für Öl"),
        ("---\nname: 審査員\nprofileId: judge\n---\nx", "審査員"),
    ],
)
def test_odd_names_and_line_ends_are_read_right(text: str, name: str) -> None:
    candidate = pasted(text)
    assert said(candidate) == ""
    assert candidate.body["name"] == name
    assert "\r" not in str(candidate.body)
    assert candidate.slug


def test_accents_are_taken_off_for_the_id() -> None:
    assert pasted("---\nname: Prüfer für Öl\n---\nx").slug == "prufer-fur-ol"


def test_a_secret_in_the_text_is_refused_with_its_line() -> None:
    candidate = pasted(f"---\nname: a\n---\n\nfirst\nuse {KEY}\n")
    assert "Line 5" in said(candidate)
    assert "in line 2 of this text" in said(candidate)
    assert KEY not in repr(candidate)
