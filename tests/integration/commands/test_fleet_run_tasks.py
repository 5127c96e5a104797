"""`fleet run --tasks FILE`: agents drain a list, and the report is of its tasks."""

from pathlib import Path

from emulator.server import EmulatorThread
from fleets.models import Fleet
from fleets.services.actor import Actor
from tests.integration.commands.calling import fleet


def test_a_list_is_drained_and_told_task_by_task(
    driving: None, emulator: EmulatorThread, tmp_path: Path
) -> None:
    path = tmp_path / "parts.csv"
    path.write_text("id,task\nfirst,[[ok]] One\nsecond,[[ok]] Two\nthird,[[ok]] Three\n")
    words = ("--agents", "2", "--max-spend-usd", "2", "--events", "--same-session")
    said = fleet("run", "Do it. {task}", "--tasks", str(path), *words)

    assert said.code == 0, said.err
    row = Fleet.objects.get()
    assert (row.name, row.tasks_total, row.is_same_session) == ("do-it", 3, True)
    finished = [line for line in said.lines if line["type"] == "task.finished"]
    assert {line["taskId"] for line in finished} == {"first", "second", "third"}
    assert {line["sessionId"] for line in finished} == set(
        row.agents.values_list("session_id", flat=True)
    )
    assert [line["type"] for line in said.lines].count("task.started") == 3
    assert said.lines[-1]["type"] == "fleet.finished"
    shown = fleet("show", row.public_id)
    assert "TASK" in shown.out
    assert "3 of 3 tasks done" in shown.out


def test_what_is_wrong_with_a_list_is_told_at_its_option(actor: Actor, tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_text('["a", 7]')
    said = fleet("run", "--agents", "2", "--tasks", str(path), "--max-spend-usd", "2")
    assert said.code == 2
    assert "fleet run: --tasks: Line 1: a task is text or an object" in said.err
    alone = fleet("run", "x", "--agents", "2", "--same-session", "--max-spend-usd", "2")
    assert "--same-session: This goes with --tasks FILE." in alone.err
    assert not Fleet.objects.exists()
