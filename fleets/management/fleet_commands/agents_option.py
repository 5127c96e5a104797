"""`--agents`: a number of agents that are alike, or a file in which each is its own."""

import re
from pathlib import Path
from typing import Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import MAX_BYTES
from fleets.domain.spec_fields import shorten

PLACE: Final = "--agents"
_NUMBER: Final = re.compile(r"-?[0-9][0-9,._]*")


def read_agents_option(given: str) -> dict[str, str]:
    """The launch's field that it fills: `count`, or `agents` with the file's text.

    Raises InvalidInput at `--agents` for a file that cannot be read.
    """
    if not given or _NUMBER.fullmatch(given):
        return {"count": given}
    try:
        with Path(given).open("rb") as file:
            # One byte more than fits, so that the domain says what is too long.
            text = file.read(MAX_BYTES + 1).decode()
    except UnicodeDecodeError as error:
        if len(error.object) <= MAX_BYTES:
            raise InvalidInput.at(PLACE, f"{shorten(given)} is not text in UTF-8.") from None
        text = error.object.decode("utf-8", "replace")
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise InvalidInput.at(
            PLACE, f"“{shorten(given)}” is neither a number of agents nor a file: {reason}."
        ) from None
    if not text.strip():
        raise InvalidInput.at(PLACE, f"{shorten(given)} is empty.")
    return {"agents": text}
