"""`--tasks`: a file with the list that a pool of agents drains."""

from pathlib import Path
from typing import Final

from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import MAX_BYTES
from fleets.domain.pool import table_as_list
from fleets.domain.spec_fields import shorten

PLACE: Final = "--tasks"
_TABLES: Final = (".csv", ".tsv")


def read_tasks_option(given: str, *, is_same_session: bool) -> dict[str, str]:
    """The launch's fields that it fills; none without the option.

    Raises InvalidInput at `--tasks` or `--same-session`.
    """
    if not given:
        if is_same_session:
            raise InvalidInput.at("--same-session", "This goes with --tasks FILE.")
        return {}
    try:
        with Path(given).open("rb") as file:
            # One byte more than fits, so that the domain says what is too long.
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise InvalidInput.at(PLACE, f"“{shorten(given)}”: {reason}.") from None
    if not content.strip():
        raise InvalidInput.at(PLACE, f"{shorten(given)} is empty.")
    return {
        "tasks": _text(content, name=given),
        "session": "same" if is_same_session else "fresh",
    }


def _text(content: bytes, *, name: str) -> str:
    if name.casefold().endswith(_TABLES):
        try:
            return table_as_list(content)
        except InvalidInput as error:
            raise InvalidInput.at(PLACE, error.problems[0].message) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        if len(content) <= MAX_BYTES:
            raise InvalidInput.at(PLACE, f"{shorten(name)} is not text in UTF-8.") from None
        return content.decode("utf-8", "replace")
