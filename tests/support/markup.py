"""What an answer says, however its template breaks its lines."""

from typing import Any


def one_line(response: Any) -> str:
    """The markup of an answer with every run of white space as one space, as browsers read it."""
    return " ".join(str(response.content.decode()).split())
