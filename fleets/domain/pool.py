"""A list of tasks for a pool of agents, as people have it: lines, JSON, JSON lines, a table.

Problems name the line and the place in it, never what looks like a secret.
"""

import difflib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.credentials import find_credentials
from fleets.domain.csv_rows import Table, read_table
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.json_lines import MAX_BYTES, read_json
from fleets.domain.profile_schema.shapes import kind_of
from fleets.domain.spec_fields import MAX_PROMPT_BYTES, shorten
from fleets.domain.template import Template

PLACE: Final = "tasks"
MAX_TASKS: Final = 10_000
# What a message for all may hold: `{task}` is the task itself.
POOL_FIELDS: Final = ("task", "task_id", "index")
PROBLEMS_SHOWN: Final = 50
_TASK_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,119}")
_ID_NAMES: Final = frozenset({"id", "task_id", "taskid"})
_TEXT_NAMES: Final = frozenset({"message", "task", "prompt", "text"})
_FIELDS: Final = ("id", "message")
# A line may begin like a list, "[ ] look into it": JSON goes on with an entry, or ends.
_JSON_LIST: Final = re.compile(r'\[\s*(?:["{]|\]\s*\Z|-?[0-9.]+\s*[,\]])')
_SEPARATORS: Final = re.compile(r"[,;\t|]")

Found = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class PoolTask:
    """One task of a list: its id, unique in it, and its text."""

    task_id: str
    message: str


@dataclass(frozen=True, slots=True)
class _Given:
    """A task as it was given, and the line it stood in; no id: it gets a number."""

    line: int
    task_id: str
    message: str


def read_tasks(text: str) -> tuple[PoolTask, ...]:
    """The tasks of a text, in the order given.

    `[…]`: a JSON list of texts or `{id, message}`. Lines that are all JSON: the same, one each. A
    table whose first line names its columns (`id`, and `task`, `message`, `prompt` or `text`).
    Anything else: a task a line, empty lines left out. Raises InvalidInput at `tasks` with all
    problems, in the order of their lines.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise InvalidInput.at(PLACE, f"The list has {size:,} bytes; at most 1 MiB fits.")
    found: Found = []
    given = _reader_of(text)(text, found)
    if not given and not found:
        raise InvalidInput.at(PLACE, "There is no task in the list.")
    if len(given) > MAX_TASKS:
        raise InvalidInput.at(PLACE, f"{len(given):,} tasks are too many: at most {MAX_TASKS:,}.")
    tasks = [
        PoolTask(one.task_id or f"task-{at}", one.message) for at, one in enumerate(given, start=1)
    ]
    found += _text_problems(given)
    found += _twice(given, tasks)
    if found:
        raise InvalidInput(_shown(found))
    return tuple(tasks)


def tasks_of_entries(entries: Sequence[Any]) -> tuple[tuple[PoolTask, ...], Found]:
    """The tasks of a list of texts or `{id, message}`, and what is wrong, by the entry's index."""
    found: Found = []
    read = [_of_entry(entry, at, found) for at, entry in enumerate(entries)]
    given = [one for one in read if one is not None]
    tasks = [
        PoolTask(one.task_id or f"task-{at}", one.message) for at, one in enumerate(given, start=1)
    ]
    found += _text_problems(given)
    found += _twice(given, tasks, where="tasks[{}]")
    return tuple(tasks), sorted(found, key=lambda one: one[0])


def task_prompt(task: PoolTask, *, index: int, template: Template) -> str:
    """What is sent for a task: the message for all with the task in it, else the task itself.

    `index` counts from 1.
    """
    if not template.source:
        return task.message
    return template.fill(fields_of_task(task, index=index))


def fields_of_task(task: PoolTask, *, index: int) -> dict[str, str]:
    """What a message's fields are for one task; `index` counts from 1."""
    return {"task": task.message, "task_id": task.task_id, "index": str(index)}


def table_as_list(data: bytes) -> str:
    """The tasks of a file that is known to be a table, as a JSON list for `read_tasks`.

    Its column called task, message, prompt or text, with ids from its column called id; where no
    column has such a name its first column, from the first line on. Raises InvalidInput at `tasks`.
    """
    table = _table(data)
    names = [name.casefold() for name in table.columns]
    if _TEXT_NAMES & set(names):
        entries = [{"id": one.task_id, "message": one.message} for one in _rows_of(table)]
        listed: list[Any] = [{k: v for k, v in one.items() if v} for one in entries]
    else:
        listed = [table.columns[0], *(row[0] for row in table.rows)]
    return json.dumps(listed, ensure_ascii=False, indent=1)


def tasks_document(tasks: Sequence[PoolTask]) -> str:
    """The JSON list that reads as these tasks; texts alone where no id was given."""
    numbered = all(one.task_id == f"task-{at}" for at, one in enumerate(tasks, start=1))
    listed: list[Any] = [one.message for one in tasks]
    if not numbered:
        listed = [{"id": one.task_id, "message": one.message} for one in tasks]
    return json.dumps(listed, ensure_ascii=False, indent=1)


def _reader_of(text: str) -> Callable[[str, Found], list[_Given]]:
    stripped = text.lstrip()
    if _JSON_LIST.match(stripped):
        return _of_json
    if stripped.startswith(("{", '"')) and _is_json_line(stripped.partition("\n")[0]):
        return _of_json_lines
    return _of_table if _is_table(text) else _of_lines


def _of_lines(text: str, _found: Found) -> list[_Given]:
    lines = enumerate(text.split("\n"), start=1)
    return [_Given(number, "", line.strip()) for number, line in lines if line.strip()]


def _of_json(text: str, found: Found) -> list[_Given]:
    source = read_json(text, place=PLACE)
    if not isinstance(source.value, list):
        raise InvalidInput.at(PLACE, "Line 1: the tasks must be a list.")
    return [
        given
        for at, entry in enumerate(source.value)
        if (given := _of_entry(entry, source.line_of((at,)), found)) is not None
    ]


def _of_json_lines(text: str, found: Found) -> list[_Given]:
    given = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = read_json(line, place=PLACE).value
        except InvalidInput:
            found.append((number, "this line is no JSON, and the first one is."))
            continue
        one = _of_entry(entry, number, found)
        if one is not None:
            given.append(one)
    return given


def _of_entry(entry: Any, line: int, found: Found) -> _Given | None:
    if isinstance(entry, str):
        return _Given(line, "", entry)
    if not isinstance(entry, dict):
        found.append((line, f"a task is text or an object {{id, message}}, not {kind_of(entry)}."))
        return None
    for name in entry:
        if name not in _FIELDS:
            near = difflib.get_close_matches(name, _FIELDS, n=1, cutoff=0.6)
            hint = f"Did you mean {near[0]}?" if near else "Known are id and message."
            found.append((line, f"there is no field “{shorten(name)}” here. {hint}"))
    message, task_id = entry.get("message"), entry.get("id", "")
    if not isinstance(message, str):
        found.append((line, "message must be text: what the agent is asked."))
        return None
    if "id" in entry and not (isinstance(task_id, str) and task_id):
        found.append((line, "id must be text that is not empty, or left out."))
        return None
    return _Given(line, task_id, message)


def _is_json_line(line: str) -> bool:
    try:
        value = read_json(line, place=PLACE).value
    except InvalidInput:
        return False
    return isinstance(value, str | dict)


def _is_table(text: str) -> bool:
    """Whether the first line names columns: one of them the task's."""
    first = text.lstrip("\n").partition("\n")[0]
    cells = [cell.strip(' "').casefold() for cell in _SEPARATORS.split(first)]
    return bool(_TEXT_NAMES & set(cells)) and (len(cells) > 1 or cells[0] in {"task", "message"})


def _of_table(text: str, _found: Found) -> list[_Given]:
    return _rows_of(_table(text.encode("utf-8", "replace")))


def _table(data: bytes) -> Table:
    try:
        return read_table(data)
    except InvalidInput as error:
        raise InvalidInput(
            Problem(PLACE, problem.message, problem.repair) for problem in error.problems
        ) from None


def _rows_of(table: Table) -> list[_Given]:
    names = [name.casefold() for name in table.columns]
    message_at = next(at for at, name in enumerate(names) if name in _TEXT_NAMES)
    id_at = next((at for at, name in enumerate(names) if name in _ID_NAMES), None)
    return [
        _Given(line, "" if id_at is None else row[id_at].strip(), row[message_at].strip())
        for line, row in zip(table.lines, table.rows, strict=True)
    ]


def _text_problems(given: Sequence[_Given]) -> Iterator[tuple[int, str]]:
    for one in given:
        size = len(one.message.encode("utf-8", "surrogatepass"))
        if not one.message.strip():
            yield one.line, "the task is empty."
        elif size > MAX_PROMPT_BYTES:
            yield one.line, f"the task has {size:,} bytes; at most {MAX_PROMPT_BYTES:,} fit."
        elif "\0" in one.message or any("\ud800" <= char <= "\udfff" for char in one.message):
            yield one.line, "the task has characters in it that are not text."
        if one.task_id and (find_credentials(one.task_id) or not _TASK_ID.fullmatch(one.task_id)):
            yield (
                one.line,
                "an id has letters, digits and . _ : / @ -, at most 120, and starts with a letter"
                " or digit.",
            )
        for find in find_credentials(one.message)[:1]:
            yield (
                one.line,
                f"{find.form}. Agents would see and may repeat it. Name a secret of the machine"
                " instead of writing its value.",
            )


def _twice(
    given: Sequence[_Given], tasks: Sequence[PoolTask], *, where: str = "the task in line {}"
) -> Iterator[tuple[int, str]]:
    first: dict[str, int] = {}
    for one, task in zip(given, tasks, strict=True):
        if task.task_id in first:
            before = where.format(first[task.task_id])
            yield one.line, f"{before} has the same id: ids are unique."
        first.setdefault(task.task_id, one.line)


def _shown(found: Found) -> Iterator[Problem]:
    by_line = sorted(found, key=lambda one: one[0])
    for line, words in by_line[:PROBLEMS_SHOWN]:
        yield Problem(PLACE, f"Line {line}: {words}")
    if len(by_line) > PROBLEMS_SHOWN:
        yield Problem(PLACE, f"{len(by_line) - PROBLEMS_SHOWN:,} more problems.")
