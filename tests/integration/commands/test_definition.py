"""Definitions at the command line: saved from files, printed, launched with rows."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from emulator.server import EmulatorThread
from fleets.models import Definition, Fleet
from fleets.services.actor import Actor
from tests.integration.commands.calling import fleet

MATRIX = """
name: shards
agents:
  matrix:
    profiles: [{name: a}, {name: b}]
message: "[[ok]] {ask} {path}"
budgetUsd: "2.00"
"""


def definition(*words: str) -> str:
    out = StringIO()
    call_command("definition", *words, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_definition_is_saved_and_launched_with_the_rows_of_a_file(
    driving: None, emulator: EmulatorThread, tmp_path: Path
) -> None:
    source, rows = tmp_path / "shards.yaml", tmp_path / "rows.csv"
    source.write_text(MATRIX)
    rows.write_bytes("Path;Ask\nä.py;Review\nb.py;Test\n".encode("cp1252"))
    assert definition("save", str(source)) == "shards r1: 2 profiles × rows at launch\n"
    assert definition("list") == "shards  r1  2 profiles × rows at launch\n"
    missing = fleet("run", "--definition", "shards")
    assert (missing.code, "--rows: This definition asks" in missing.err) == (2, True)
    said = fleet("run", "--definition", "shards", "--rows", str(rows), "--name", "x", "--json")
    assert said.code == 0, said.err
    row = Fleet.objects.get()
    assert row.definition_revision == Definition.objects.get().head
    prompts = list(row.runs.get().tasks.order_by("position").values_list("prompt", flat=True))
    assert prompts == ["[[ok]] Review ä.py"] * 2 + ["[[ok]] Test b.py"] * 2


def test_a_file_of_agents_becomes_a_definition_and_its_next_revision(
    actor: Actor, tmp_path: Path
) -> None:
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps([{"agentId": "a", "task": "Review."}]))
    definition("save", str(agents), "--name", "night")
    agents.write_text(json.dumps([{"agentId": "a", "task": "Review it."}]))
    assert definition("save", str(agents), "--name", "night", "--id", "night") == "night r2\n"
    document = json.loads(definition("show", "night"))
    assert document["agents"]["list"] == [{"agentId": "a", "task": "Review it."}]
    agents.write_text(json.dumps([{"agentId": "a", "tsk": "x"}]))
    with pytest.raises(SystemExit) as ended:
        definition("save", str(agents))
    assert ended.value.code == 2
