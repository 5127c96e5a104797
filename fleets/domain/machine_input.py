"""What machines get, read from text: the object that a definition has at `machine`."""

from typing import Any, Final

from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.json_lines import read_json
from fleets.domain.machine_needs import NEEDS, MachineNeeds, needs_of
from fleets.domain.profile_schema.shapes import Note, kind_of, show_path

PLACE: Final = "machine"


def read_machine(text: str) -> MachineNeeds:
    """The needs of a JSON object; "" for none. Raises InvalidInput at paths below `machine`."""
    if not text.strip():
        return MachineNeeds()
    return check_machine(read_json(text, place=PLACE).value)


def check_machine(value: Any) -> MachineNeeds:
    """The needs of a value. Raises InvalidInput at paths below `machine`."""
    if not isinstance(value, dict):
        raise InvalidInput.at(PLACE, f"What machines get is an object, not {kind_of(value)}.")
    note: Note = []
    NEEDS(value, (PLACE,), note)
    if note:
        raise InvalidInput(
            Problem(show_path(issue.path), f"{issue.message.rstrip('.')}.") for issue in note
        )
    return needs_of(value)
