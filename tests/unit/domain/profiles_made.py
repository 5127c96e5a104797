"""Sound profiles of every kind, for tests of what must hold for all of them."""

from typing import Any

from hypothesis import strategies as st

from fleets.domain.harnesses import HARNESSES
from fleets.domain.profile_problems import check_body
from fleets.domain.profile_schema.profile import EFFORTS

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["no", "on", "1e3", "017", "a: b", "two\nlines\n", "tab\tbed", "審査員"]
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
DECISIONS = st.sampled_from(["allow", "ask", "deny"])
PERMISSIONS = st.dictionaries(
    TEXTS, DECISIONS | st.dictionaries(TEXTS, DECISIONS, max_size=3), max_size=3
)
TOOLS = st.dictionaries(TEXTS, st.booleans(), max_size=3)
OPEN = st.dictionaries(
    TEXTS,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | TEXTS,
        lambda below: st.lists(below, max_size=2) | st.dictionaries(TEXTS, below, max_size=2),
        max_leaves=5,
    ),
    max_size=3,
)
PUBLIC = st.fixed_dictionaries(
    {"kind": st.just("public"), "value": st.text(st.characters(categories=["L", "N"]), max_size=9)}
)
SECRET = st.fixed_dictionaries(
    {"kind": st.just("secret-ref"), "key": NAMES},
    optional={"format": st.sampled_from(["raw", "bearer"])},
)
VALUES = st.dictionaries(NAMES, PUBLIC | SECRET, max_size=2)
SERVER = (
    st.fixed_dictionaries(
        {"command": st.sampled_from(["npx", "/usr/bin/node"])},
        optional={"args": st.lists(PUBLIC, max_size=2), "env": VALUES, "metadata": OPEN},
    )
    | st.fixed_dictionaries(
        {"url": st.just("https://m.example/mcp")},
        optional={"headers": VALUES, "transport": st.sampled_from(["sse", "http"])},
    )
    | st.just({"enabled": False})
)
REF = st.fixed_dictionaries({"kind": st.just("inline"), "name": TEXTS, "content": TEXTS})
MODE = {"description": TEXTS, "model": TEXTS, "prompt": TEXTS, "tools": TOOLS}


def sound(body: dict[str, Any]) -> bool:
    """Whether it can be kept: by chance a text can look like a secret."""
    return not check_body(body).problems


PROFILES = st.fixed_dictionaries(
    {},
    optional={
        "name": TEXTS,
        "description": TEXTS,
        "tags": st.lists(TEXTS, max_size=3),
        "harness": st.sampled_from(sorted(HARNESSES)),
        "prompt": st.fixed_dictionaries(
            {}, optional={"systemPrompt": TEXTS, "instructions": st.lists(TEXTS, max_size=2)}
        ),
        "model": st.fixed_dictionaries(
            {},
            optional={
                "default": TEXTS,
                "reasoningEffort": st.sampled_from(EFFORTS),
                "maxTotalOutputTokens": st.integers(1, 2**53 - 1),
                "metadata": OPEN,
            },
        ),
        "permissions": PERMISSIONS,
        "tools": TOOLS,
        "mcp": st.dictionaries(TEXTS, SERVER, max_size=2),
        "subagents": st.dictionaries(
            TEXTS,
            st.fixed_dictionaries({}, optional={**MODE, "maxSteps": st.floats(-9, 9)}),
            max_size=2,
        ),
        "resources": st.fixed_dictionaries({}, optional={"skills": st.lists(REF, max_size=2)}),
        "hooks": st.dictionaries(
            NAMES,
            st.lists(
                st.fixed_dictionaries({"command": TEXTS}, optional={"timeoutMs": st.floats(1, 9)}),
                max_size=2,
            ),
            max_size=2,
        ),
        "modes": st.dictionaries(TEXTS, st.fixed_dictionaries({}, optional=MODE), max_size=2),
        "metadata": OPEN,
        "extensions": st.dictionaries(NAMES, OPEN, max_size=2),
    },
).filter(sound)
