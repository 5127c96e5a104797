"""What a launch form brought: its fields, chosen files, a repair that was pressed."""

from functools import partial
from typing import Final

from django.http import HttpRequest

from fleets.domain.agent_risks import KEY_NAMES
from fleets.domain.agents_file import PLACE as AGENTS
from fleets.domain.agents_file import with_key_names
from fleets.domain.errors import InvalidInput
from fleets.domain.harnesses import DEFAULT_HARNESS
from fleets.domain.json_lines import MAX_BYTES
from fleets.domain.pool import PLACE as TASKS
from fleets.domain.pool import table_as_list
from fleets.domain.spec import DEFAULT_MODEL
from fleets.forms.launch import LaunchForm
from fleets.models import User
from fleets.selectors.profile_refs import resolve_profile

FILE: Final = "agents_file"
TASKS_FILE: Final = "tasks_file"
_TABLES: Final = (".csv", ".tsv")


def typed_with_file(request: HttpRequest) -> dict[str, str]:
    """The fields as typed; a chosen file stands where its text would have been pasted."""
    data = {name: str(value) for name, value in request.POST.items()}
    chosen = request.FILES.get(FILE)
    if chosen is not None:
        # One byte more than fits, so that the domain says what is too long.
        data[AGENTS] = chosen.read(MAX_BYTES + 1).decode("utf-8", "replace")
    listed = request.FILES.get(TASKS_FILE)
    if listed is not None:
        data[TASKS] = tasks_in(listed.read(MAX_BYTES + 1), name=listed.name or "")
    return data


def tasks_in(content: bytes, *, name: str) -> str:
    """The list of tasks in a file of that name; a table that cannot be read stays as it is."""
    text = content.decode("utf-8-sig", "replace")
    if not name.casefold().endswith(_TABLES):
        return text
    try:
        return table_as_list(content)
    except InvalidInput:
        return text


def repair(data: dict[str, str], *, user: User) -> str:
    """Carry out the repair in the fields, if one was pressed; the field to go on from."""
    name, _, value = data.pop("repair", "").partition("=")
    if name == KEY_NAMES:
        data[AGENTS] = with_key_names(
            data.get(AGENTS, ""),
            harness=data.get("harness") or DEFAULT_HARNESS,
            model=data.get("model") or DEFAULT_MODEL,
            resolve=partial(resolve_profile, user),
        )
        return AGENTS
    if name in LaunchForm.base_fields:
        data[name] = value
    return name
