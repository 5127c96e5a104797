"""What an agent can know: codewords of its profile's skills and of its session's first prompt."""

import re
from typing import Any

_CODEWORD = re.compile(r"\bcodeword is ([A-Za-z0-9-]{1,40})")


def known_codewords(profile: Any, first_prompt: str) -> list[str]:
    """Every codeword in an inline skill of the profile, then in the prompt; each once."""
    texts = [*_skills(profile), first_prompt]
    return list(dict.fromkeys(word for text in texts for word in _CODEWORD.findall(text)))


def recalled(knows: tuple[str, ...]) -> str:
    """What the agent says of the codewords it knows."""
    return f"Codewords I know: {', '.join(knows)}." if knows else "I know no codeword."


def _skills(profile: Any) -> list[str]:
    resources = profile.get("resources") if isinstance(profile, dict) else None
    skills = resources.get("skills") if isinstance(resources, dict) else None
    if not isinstance(skills, list):
        return []
    return [
        skill["content"]
        for skill in skills
        if isinstance(skill, dict) and isinstance(skill.get("content"), str)
    ]
