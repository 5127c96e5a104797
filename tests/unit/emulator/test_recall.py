"""What an agent can name: codewords of its own skills and of its session's first prompt."""

from typing import Any

import pytest

from emulator.recall import known_codewords
from emulator.scripts import plan_turn


def skill(content: Any) -> dict[str, Any]:
    return {"resources": {"skills": [{"kind": "inline", "name": "s", "content": content}]}}


@pytest.mark.parametrize(
    ("profile", "prompt", "known"),
    [
        (skill("The codeword is HERON-7."), "x", ["HERON-7"]),
        (None, "Your codeword is WREN, keep it.", ["WREN"]),
        (skill("codeword is A"), "codeword is B, codeword is A", ["A", "B"]),
        (skill(7), "no word", []),
        ("saved-profile", "no word", []),
        ({"resources": []}, "no word", []),
    ],
)
def test_codewords_are_found_in_skills_and_in_the_prompt(
    profile: Any, prompt: str, known: list[str]
) -> None:
    assert known_codewords(profile, prompt) == known


def said(prompt: str, *knows: str) -> str:
    plan = plan_turn(
        seed=7, session_id="s", turn_id="t", prompt=prompt, failure_share=0, context=0, knows=knows
    )
    return "\n".join(plan.calls[-1].says)


def test_an_agent_names_what_it_knows_only_when_asked() -> None:
    assert said("[[recall]] Say it.", "HERON", "WREN").endswith("Codewords I know: HERON, WREN.")
    assert said("[[recall]] Say it.").endswith("I know no codeword.")
    assert "HERON" not in said("Say it.", "HERON")
