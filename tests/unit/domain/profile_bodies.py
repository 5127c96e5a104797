"""Profiles that the schema accepts, drawn at random: what every lossless path has to carry."""

from typing import Any

from hypothesis import strategies as st

from fleets.domain.harnesses import HARNESSES
from fleets.domain.profile_schema.profile import EFFORTS

# No half characters: those have no digest, so no such profile is kept.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["", " ", "no", "1e3", "0o7", "a: b", "- x", "line\nline\n", "\ttab", "\r\n", "é✓", "secret:A"]
)
NAMES = st.sampled_from(["docs", "search", "a b", "x=y", "a > b", "", "on", "7", "é"])
PLAIN = st.text("abc XY.:/=", max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | TEXT,
    lambda below: st.lists(below, max_size=2) | st.dictionaries(TEXT, below, max_size=2),
    max_leaves=5,
)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with any of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


DECISIONS = st.sampled_from(["allow", "ask", "deny"])
PERMISSIONS = st.dictionaries(
    NAMES, DECISIONS | st.dictionaries(NAMES, DECISIONS, max_size=2), max_size=3
)
VALUES = st.builds(lambda text: {"kind": "public", "value": text}, PLAIN) | st.builds(
    lambda key, ending: {"kind": "secret-ref", "key": key, **ending},
    st.sampled_from(["ISSUES", "A B", "x bearer"]),
    st.sampled_from([{}, {"format": "raw"}, {"format": "bearer"}]),
)
ENV = st.dictionaries(st.sampled_from(["PATH_A", "B", "_c"]), VALUES, max_size=2)
OPEN = st.dictionaries(TEXT, JSON, max_size=2)
SERVERS = (
    st.builds(
        lambda command, more: {"command": command, **more},
        st.sampled_from(["npx", "uvx", "/usr/bin/python3"]),
        some(
            args=st.lists(VALUES, max_size=2),
            env=ENV,
            transport=st.just("stdio"),
            enabled=st.just(True),
            metadata=OPEN,
        ),
    )
    | st.builds(
        lambda url, more: {"url": url, **more},
        st.sampled_from(["https://docs.example.org/mcp", " http://[::1]/x "]),
        some(headers=ENV, transport=st.sampled_from(["sse", "http"]), metadata=OPEN),
    )
    | st.builds(lambda more: {"enabled": False, **more}, some(metadata=OPEN))
)
REFS = st.builds(
    lambda name, content: {"kind": "inline", "name": name, "content": content}, TEXT, TEXT
) | st.builds(
    lambda path, more: {"kind": "github", "path": path, **more}, TEXT, some(ref=TEXT, name=TEXT)
)
TOOLS = st.dictionaries(NAMES, st.booleans(), max_size=3)
PART = {
    "description": TEXT,
    "model": TEXT,
    "prompt": TEXT,
    "tools": TOOLS,
    "permissions": PERMISSIONS,
    "metadata": OPEN,
}
NUMBERS = st.sampled_from([0, -1, 0.5, 3, 1e300])
HOOKS = st.builds(
    lambda command, more: {"command": command, **more},
    TEXT,
    some(
        timeoutMs=st.sampled_from([1, 0.25, 30_000]),
        blocking=st.booleans(),
        matcher=TEXT,
        env=ENV,
    ),
)
FILES = st.builds(
    lambda path, resource, more: {"path": path, "resource": resource, **more},
    TEXT,
    REFS,
    some(executable=st.booleans()),
)
CONNECTIONS = st.builds(
    lambda ident, capabilities, more: {"connectionId": ident, "capabilities": capabilities, **more},
    TEXT.filter(bool),
    st.lists(TEXT.filter(bool), min_size=1, max_size=2),
    some(alias=TEXT.filter(bool)),
)
REF_LIST = st.lists(REFS, max_size=1)
# Every field that the schema has; most of them are in no form.
BODIES: st.SearchStrategy[dict[str, Any]] = some(
    name=TEXT,
    description=TEXT,
    version=TEXT,
    tags=st.lists(TEXT, max_size=3),
    harness=st.sampled_from(list(HARNESSES)),
    model=some(
        default=TEXT,
        small=TEXT,
        provider=TEXT,
        reasoningEffort=st.sampled_from(EFFORTS),
        maxVisibleOutputTokens=st.integers(1, 100),
        maxReasoningTokens=st.integers(1, 100) | st.just(7.0),
        maxTotalOutputTokens=st.integers(100, 9_007_199_254_740_991),
        metadata=OPEN,
    ),
    prompt=some(
        systemPrompt=TEXT, appendSystemPrompt=TEXT, instructions=st.lists(TEXT, max_size=3)
    ),
    resources=some(
        files=st.lists(FILES, max_size=1),
        tools=REF_LIST,
        skills=st.lists(REFS, max_size=3),
        agents=REF_LIST,
        commands=REF_LIST,
        instructions=TEXT | REFS,
        failOnError=st.booleans(),
    ),
    permissions=PERMISSIONS,
    tools=TOOLS,
    connections=st.lists(CONNECTIONS, max_size=2),
    subagents=st.dictionaries(NAMES, some(**PART, maxSteps=NUMBERS), max_size=1),
    hooks=st.dictionaries(NAMES, st.lists(HOOKS, max_size=2), max_size=1),
    modes=st.dictionaries(NAMES, some(**PART), max_size=1),
    confidential=some(
        tee=TEXT, attestationNonce=TEXT, sealed=st.booleans(), attestationRefresh=st.booleans()
    ),
    extensions=st.dictionaries(NAMES, OPEN, max_size=1),
    mcp=st.dictionaries(NAMES, SERVERS, max_size=3),
    metadata=OPEN,
)
