"""A file of agents comes in and goes out as it was."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fleets.domain.agents_export import agents_text, entry_of
from fleets.domain.agents_file import read_source
from fleets.domain.definition import read_definition
from fleets.domain.expansion import expand

TEXTS = st.text("ab é{}\"'\\\n–:#- ", min_size=1, max_size=20).filter(str.strip)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {
            "agentId": st.from_regex(r"[a-z][a-z0-9._-]{0,8}", fullmatch=True),
            "harness": st.sampled_from(["opencode", "codex", "pi"]),
            "model": st.just("gpt-4.1-mini")
            | st.just({"model": "gpt-4.1-mini", "apiKeyEnv": "OPENAI_API_KEY"}),
            "task": TEXTS,
        },
        optional={
            "profile": st.fixed_dictionaries(
                {"name": st.just("reviewer"), "prompt": st.just({"instructions": ["Read."]})}
            ),
            "placement": st.sampled_from(["auto", "dedicated", {"agentsPerSandbox": 3}]),
        },
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda entry: str(entry["agentId"]),
)


def out_and_in(text: str) -> str:
    """The file that a definition of this file gives."""
    agents: Any = read_source(text).value
    spec = expand(read_definition({"name": "x", "agents": {"list": agents}})).spec
    return agents_text(entry_of(plan, prompt=plan.task or "", names={}) for plan in spec.plans)


@settings(max_examples=80)
@given(ENTRIES)
def test_what_goes_out_comes_in_and_goes_out_the_same(entries: list[dict[str, Any]]) -> None:
    once = out_and_in(json.dumps(entries))
    assert out_and_in(once) == once
    kept = [{name: one[name] for name in sorted(one)} for one in json.loads(once)]
    assert kept == [{name: one[name] for name in sorted(one)} for one in entries]
