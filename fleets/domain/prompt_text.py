"""Reads what agents are told: text that fits, is text, and holds no secret."""

from typing import Final

from fleets.domain.credentials import find_credentials
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.spec_fields import MAX_PROMPT_BYTES

_FINDS_SHOWN: Final = 5


def read_prompt_text(text: str, *, place: str, missing: str) -> str:
    """The text with line ends as they are stored; `missing` is said where it is empty.

    Raises InvalidInput at `place`, quoting no secret.
    """
    if not text.strip():
        raise InvalidInput.at(place, missing)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_PROMPT_BYTES:
        raise InvalidInput.at(
            place, f"The prompt has {size:,} bytes; at most {MAX_PROMPT_BYTES:,} fit (64 KiB)."
        )
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidInput.at(place, "The prompt has characters in it that are not text.")
    finds = find_credentials(text)[:_FINDS_SHOWN]
    if finds:
        # No repair and no quotation: the text must not travel any further than this.
        raise InvalidInput(
            Problem(
                place,
                f"Line {find.line}, column {find.column}: {find.form}. Agents would see and may"
                " repeat it. Name a secret of the machine instead of writing its value.",
            )
            for find in finds
        )
    # Browsers send a form's line ends as CRLF.
    return text.replace("\r\n", "\n")
