"""`--machine`: what the machines get, as JSON or as a file with it."""

from pathlib import Path
from typing import Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import MAX_BYTES
from fleets.domain.machine_input import PLACE as FIELD
from fleets.domain.spec_fields import shorten

PLACE: Final = "--machine"


def read_machine_option(given: str) -> dict[str, str]:
    """The launch's field that it fills; none without the option.

    Raises InvalidInput at `--machine` for a file that cannot be read.
    """
    if not given or given.lstrip().startswith("{"):
        return {FIELD: given} if given else {}
    try:
        with Path(given).open("rb") as file:
            text = file.read(MAX_BYTES + 1).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = (getattr(error, "strerror", "") or "it cannot be read").lower()
        words = f"“{shorten(given)}” is neither JSON nor a file: {why}."
        raise InvalidInput.at(PLACE, words) from None
    return {FIELD: text}
