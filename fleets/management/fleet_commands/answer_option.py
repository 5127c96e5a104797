"""`--answer`: what a good answer is, as JSON or as a file with it."""

from pathlib import Path
from typing import Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import MAX_BYTES
from fleets.domain.spec_fields import shorten

PLACE: Final = "--answer"


def read_answer_option(given: str) -> dict[str, str]:
    """The launch's field that it fills; none without the option.

    Raises InvalidInput at `--answer` for a file that cannot be read.
    """
    if not given or given.lstrip().startswith("{"):
        return {"answer": given} if given else {}
    try:
        with Path(given).open("rb") as file:
            text = file.read(MAX_BYTES + 1).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput.at(PLACE, f"{shorten(given)} is not text in UTF-8.") from None
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise InvalidInput.at(
            PLACE, f"“{shorten(given)}” is neither JSON nor a file: {reason}."
        ) from None
    if not text.strip():
        raise InvalidInput.at(PLACE, f"{shorten(given)} is empty.")
    return {"answer": text}
