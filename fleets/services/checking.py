"""Runs the command that checks an answer, on the machine of the agent that gave it: once.

A command may not be harmless twice, so its row says that it is sent before it is. What becomes of
it is written by who sent it; when that one has died, nobody knows what the command did, and the
answer stays unchecked with that reason. The tick has no part in it.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from fleets.domain.answer_check import AnswerCheck, Judgement, Verdict, command_judgement
from fleets.domain.answer_document import MAX_COMMAND_TIMEOUT_S, read_answer_check
from fleets.domain.errors import InvalidInput
from fleets.gateway import ask_database, gateway
from fleets.models import Connection, Task
from fleets.platform_api.answers.commands import CommandResult
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformError, PlatformRefused, PlatformUnavailable
from fleets.services.answers import write_judgement

log = structlog.get_logger(__name__)

AT_ONCE: Final = 20
# Longer than any answer may take: whoever sent the command is gone.
LOST_S: Final = MAX_COMMAND_TIMEOUT_S + 60
_WORDS_SHOWN: Final = 160


@dataclass(frozen=True, slots=True)
class _Command:
    """One command to run. `connection` is the account that pays for the machine."""

    task_pk: int
    check: AnswerCheck
    connection: Connection
    sandbox_id: str
    env: dict[str, str]


def check_answers(*, now: datetime) -> int:
    """Give up what was lost, then send what waits, side by side; how many commands were sent."""
    _give_up(now=now)
    _leave_unchecked(now=now)
    commands = _claim(now=now)
    by_connection: dict[int, list[_Command]] = {}
    for command in commands:
        by_connection.setdefault(command.connection.pk, []).append(command)
    for sent in by_connection.values():
        gateway().run(_run_all(gateway().account(sent[0].connection), sent))
    return len(commands)


def _waiting() -> "QuerySet[Task]":
    return Task.objects.filter(verdict=Verdict.WAITING_COMMAND)


def _give_up(*, now: datetime) -> None:
    lost = _waiting().filter(check_sent_at__lt=now - timedelta(seconds=LOST_S))
    words = "The command was sent and its answer is lost; it is not sent twice."
    _write_all(lost, words, now=now)


def _leave_unchecked(*, now: datetime) -> None:
    """What will not be run any more: the machine is gone, or the work was stopped."""
    unsent = _waiting().filter(check_sent_at__isnull=True)
    stopped = Q(run__fleet__cancel_requested_at__isnull=False) | Q(
        run__fleet__delete_requested_at__isnull=False
    )
    _write_all(unsent.filter(stopped), "The fleet was stopped before it could be checked.", now=now)
    gone = Q(agent__machine__gone_at__isnull=False) | Q(run__fleet__deleted_at__isnull=False)
    _write_all(unsent.filter(gone), "Its machine was gone before it could be checked.", now=now)


def _write_all(tasks: "QuerySet[Task]", words: str, *, now: datetime) -> None:
    judgement = Judgement(Verdict.UNCHECKED, words)
    for pk in list(tasks.values_list("pk", flat=True)[:AT_ONCE]):
        write_judgement(pk, judgement, now=now)


@transaction.atomic
def _claim(*, now: datetime) -> list[_Command]:
    """Write that these are sent, before anything is."""
    free = _waiting().filter(
        check_sent_at__isnull=True, run__fleet__held_at__isnull=True, agent__isnull=False
    )
    tasks = list(
        free.select_for_update(of=("self",), skip_locked=True)
        .select_related("agent__machine", "run__fleet__connection")
        .order_by("ended_at")[:AT_ONCE]
    )
    commands = [command for task in tasks if (command := _command(task)) is not None]
    Task.objects.filter(pk__in=[one.task_pk for one in commands]).update(check_sent_at=now)
    return commands


def _command(task: Task) -> _Command | None:
    fleet, agent = task.run.fleet, task.agent
    if agent is None:
        return None
    try:
        own = agent.answer_check
        check = read_answer_check(fleet.answer_check if own is None else own)
    except InvalidInput:
        return None
    env = {"FLEETDASH_TASK": task.name or str(task.position), "FLEETDASH_AGENT": agent.agent_id}
    return _Command(task.pk, check, fleet.connection, agent.machine.sandbox_id, env)


async def _run_all(client: PlatformClient, commands: Iterable[_Command]) -> None:
    await asyncio.gather(*(_run(client, command) for command in commands))


async def _run(client: PlatformClient, command: _Command) -> None:
    timeout_s = command.check.command_timeout_s
    try:
        result = await client.runtime.command(
            command.sandbox_id,
            command.check.command,
            env=command.env,
            timeout_ms=timeout_s * 1000,
        )
    except PlatformError as error:
        if isinstance(error, PlatformUnavailable) and not error.outcome_unknown:
            # It certainly was not carried out: only then may it be sent again.
            await ask_database(partial(_release, command.task_pk))
            return
        judgement = _not_run(error)
    else:
        judgement = _judgement(result, timeout_s=timeout_s)
    write = partial(write_judgement, command.task_pk, judgement, now=timezone.now())
    await ask_database(write)


def _release(task_pk: int) -> None:
    _waiting().filter(pk=task_pk).update(check_sent_at=None)


def _not_run(error: PlatformError) -> Judgement:
    if isinstance(error, PlatformRefused):
        return command_judgement(None, words=error.message)
    words = f"Whether the command ran is not known, so it is not sent twice: {error.message}"
    return Judgement(Verdict.UNCHECKED, words[:300])


def _judgement(result: CommandResult, *, timeout_s: int) -> Judgement:
    if result.timed_out:
        return Judgement(Verdict.REFUSED, f"The command was stopped after {timeout_s} s.")
    return command_judgement(result.exit_code, words=_last_line(result))


def _last_line(result: CommandResult) -> str:
    """What it said last: hostile text, one line, short."""
    lines = (result.stderr.strip() or result.stdout.strip()).splitlines()
    line = "".join(char for char in lines[-1] if char.isprintable()) if lines else ""
    return line[:_WORDS_SHOWN]
