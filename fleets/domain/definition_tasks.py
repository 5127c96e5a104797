"""The tasks of a definition whose agents are a pool: kept with it, or brought to each launch."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.agent_plan import AgentAsked
from fleets.domain.errors import InvalidInput
from fleets.domain.json_lines import MAX_BYTES, Path
from fleets.domain.pool import MAX_TASKS, PoolTask, read_tasks, tasks_document, tasks_of_entries
from fleets.domain.profile_schema.shapes import kind_of

PLACE: Final = "tasks"
SESSION: Final = "session"
ASK: Final = "ask"
_SESSIONS: Final = ("fresh", "same")
_NO_OWN: Final = "the tasks are a list of their own, so an agent has none"
_NO_TASKS: Final = "is for agents by number or as a list: the rows of a matrix are tasks already"
_ONLY_POOLS: Final = "is for tasks that agents take from a list, and there is none"

Note = Callable[[Path, str], None]


@dataclass(frozen=True, slots=True)
class Tasks:
    """What the agents of a pool drain. Nothing listed: the list comes with each launch."""

    listed: tuple[PoolTask, ...]
    is_same_session: bool = False


def pool_of(
    body: Mapping[str, Any], *, agents: Sequence[AgentAsked] | None, note: Note
) -> Tasks | None:
    """The list of a document, None where it has none; what is wrong with it goes to `note`.

    `agents` are those that are described one by one or as alike, None for others.
    """
    session = body.get(SESSION, _SESSIONS[0])
    if session not in _SESSIONS:
        note((SESSION,), "is fresh (a new one for each task) or same (one for all of an agent)")
    if PLACE not in body:
        if SESSION in body:
            note((SESSION,), _ONLY_POOLS)
        return None
    if agents is None:
        note((PLACE,), _NO_TASKS)
        return None
    for at, agent in enumerate(agents):
        if agent.task:
            note(("agents", "list", at, "task"), _NO_OWN)
    return Tasks(_listed(body[PLACE], note), is_same_session=session == _SESSIONS[1])


def _listed(value: Any, note: Note) -> tuple[PoolTask, ...]:
    if value == ASK:
        return ()
    if not isinstance(value, list):
        note((PLACE,), f"is a list of texts or {{id, message}}, or “ask”, not {kind_of(value)}")
        return ()
    if not value or len(value) > MAX_TASKS:
        words = f"has {len(value):,} entries; at most {MAX_TASKS:,} fit" if value else "is empty"
        note((PLACE,), words)
        return ()
    if len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")) > MAX_BYTES:
        note((PLACE,), "has more than 1 MiB in all")
        return ()
    tasks, problems = tasks_of_entries(value)
    for at, words in problems:
        note((PLACE, at), words)
    return tasks


def tasks_text(value: Any) -> str:
    """A list as it stands in a field: a task a line where that reads the same, else JSON."""
    if value == ASK or not isinstance(value, list):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    lines = "\n".join(str(one) for one in value)
    return lines if value and tasks_value(lines) == value else _json(value)


def tasks_value(text: str) -> Any:
    """The list that a text is, as a document keeps it; a text that is none stays as it is."""
    if text.strip() == ASK:
        return ASK
    try:
        found: Any = json.loads(tasks_document(read_tasks(text)))
    except InvalidInput:
        return _entries(text)
    return found


def _entries(text: str) -> Any:
    """What a list with mistakes comes to, so that each is told at its place."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return [line.strip() for line in text.splitlines() if line.strip()]
    return found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
