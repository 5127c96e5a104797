"""A good body for every operation that has one, and strange ones made of it."""

import copy
from typing import Any

from hypothesis import strategies as st

from tests.unit.emulator.bench import turn_body

SANDBOX: dict[str, Any] = {
    "name": "box",
    "environment": "universal",
    "resources": {"cpuCores": 1, "memoryMB": 1024, "diskGB": 10},
    "env": {"A": "1"},
    "git": {"url": "https://example.org/r.git", "ref": "main", "depth": 1, "sparse": ["src"],
            "auth": {"token": "t"}},
    "backend": {"type": "opencode", "model": {"model": "gpt-4.1-mini"},
                "profile": {"name": "p", "model": {"maxTotalOutputTokens": 10}}},
    "maxLifetimeSeconds": 600,
    "idleTimeoutSeconds": 60,
    "deleteAfterStoppedSeconds": 60,
    "metadata": {"a": 1},
    "secrets": ["TOKEN"],
    "egressPolicy": {"mode": "strict", "allowDomains": ["example.org"]},
    "capabilities": ["computer_use"],
    "driver": {"type": "docker"},
    "publicTemplateId": "universal",
    "permissions": {"initialUsers": []},
    "sshPublicKeys": ["ssh-ed25519 A"],
    "agent": True,
}  # fmt: skip
PROFILE: dict[str, Any] = {
    "name": "Reviewer",
    "tags": ["a"],
    "harness": "opencode",
    "prompt": {"instructions": ["Be kind."]},
    "model": {"default": "gpt-4.1-mini", "reasoningEffort": "low", "maxTotalOutputTokens": 100},
    "permissions": {"bash": "ask", "edit": {"*": "deny"}},
    "tools": {"bash": True},
    "mcp": {
        "docs": {"url": "https://example.org/mcp", "headers": {
            "Authorization": {"kind": "secret-ref", "key": "TOKEN", "format": "bearer"}}},
        "files": {"command": "node", "args": [{"kind": "public", "value": "x"}], "cwd": "tools"},
        "off": {"enabled": False},
    },
    "connections": [{"connectionId": "c", "capabilities": ["read"]}],
    "subagents": {"helper": {"prompt": "Help.", "maxSteps": 3}},
    "resources": {"files": [{"path": "A.md", "resource": {
        "kind": "inline", "name": "A", "content": "a"}}], "instructions": "Read A."},
    "hooks": {"stop": [{"command": "true", "timeoutMs": 10, "env": {}}]},
    "modes": {"plan": {"description": "d"}},
    "metadata": {"any": [None]},
    "extensions": {"x": {}},
}  # fmt: skip
TURN = turn_body("s", "Read it. [[ok]]", turn_id="t2-1")
GOOD: dict[str, Any] = {
    "keys.mint": {"name": "k", "budgetUsd": 1, "allowedModels": ["gpt-4.1-mini"], "rpmLimit": 5,
                  "expiresAt": "2031-01-01T00:00:00Z", "product": "sandbox", "projectId": "p"},
    "keys.patch": {"name": "k", "budgetUsd": 2, "rpmLimit": 3},
    "fleets.create": {
        "machines": [{"machineId": "m1"}, {"machineId": "m2", "env": {"B": "2"}}],
        "coordinator": {"machineId": "c"},
        "defaults": {name: value for name, value in SANDBOX.items() if name != "name"},
        "policy": {"maxMachines": 9, "maxConcurrentCreates": 2, "maxLifetimeSeconds": 600,
                   "maxSpendUsd": 5, "allowAccelerators": True},
        "maxConcurrentCreates": 2,
        "cleanupOnFailure": True,
        "metadata": {"a": 1},
        "parent": {"fleetId": "fleet-a", "agentId": "s"},
    },
    "fleets.exec": {"type": "exec", "command": "echo 1", "machines": ["m1"], "maxConcurrent": 2,
                    "timeoutMs": 1000, "bufferResults": True},
    "sandboxes.create": SANDBOX,
    "sandboxes.patch": {"idleTimeoutSeconds": 60},
    "runtime.command": {"command": "echo 1", "cwd": "/", "env": {"A": "1"}, "timeout": 1000},
    "runtime.read": {"path": "README.md", "encoding": "utf8"},
    "runtime.write": {"path": "a", "content": "b", "encoding": "utf8"},
    "sessions.run": TURN | {"detach": False},
    "sessions.dispatch": TURN,
    "sessions.answer": {"id": "i", "outcome": "accepted", "data": {}},
    "secrets.create": {"name": "OTHER", "value": "v"},
    "secrets.patch": {"value": "w"},
    "profiles.put": PROFILE,
    "batch.run": {
        "tasks": [{"id": "t", "message": "Read. [[ok]]", "context": {}, "timeoutMs": 60_000}],
        "backends": [{"id": "b", "type": "opencode", "model": "gpt-4.1-mini"}],
        "timeoutMs": 60_000,
        "scalingMode": "cheapest",
        "persistent": False,
    },
    "router.chat": {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "hi"}],
                    "max_tokens": 5, "temperature": 0.5, "stream": False},
}  # fmt: skip

_words = st.sampled_from(
    ["", "s", "exec", "m1", "all", "opencode", "gpt-4.1-mini", "echo $HOME && exit 3", "sleep 1",
     "accepted", "router", "/", "..", "\x00", "é", "\ud800", "0", "-1", "9" * 30, "x" * 300_000,
     "2026-12-01T00:00:00Z", "9999-12-31T23:59:59+14:00", "c2xlZXA=", "sk-tan-0123456789abcdef"]
)  # fmt: skip
_numbers = st.sampled_from([-1, 0, 1, 0.5, 1e-12, 1e9, 10**15, 10**400, float("inf")])
strange = st.one_of(
    st.none(), st.booleans(), _numbers, _words, st.sampled_from([[], {}, [[]], [{}], {"": {}}])
)


def places(value: Any, *, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something could be replaced, in a body."""
    inner: list[tuple[Any, ...]] = []
    if isinstance(value, dict):
        inner = [place for name in value for place in places(value[name], at=(*at, name))]
    elif isinstance(value, list):
        inner = [place for i, one in enumerate(value) for place in places(one, at=(*at, i))]
    return [*([at] if at else []), *inner]


@st.composite
def bodies(draw: st.DrawFn, name: str) -> Any:
    """A good body with up to three changes: a strange value, a missing or an unknown field."""
    body = copy.deepcopy(GOOD.get(name, {}))
    for _change in range(draw(st.integers(0, 3))):
        found = places(body)
        how = draw(st.sampled_from(("replace", "replace", "remove", "add")))
        if not found or how == "add":
            body[draw(st.sampled_from(("colour", "name", "id", "")))] = copy.deepcopy(draw(strange))
            continue
        *path, last = draw(st.sampled_from(found))
        inner = body
        for step in path:
            inner = inner[step]
        if how == "remove":
            del inner[last]
        else:
            inner[last] = copy.deepcopy(draw(strange))
    return body
