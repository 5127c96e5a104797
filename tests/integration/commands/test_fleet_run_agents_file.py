"""`fleet run --agents FILE.json`: each agent its own; a number stays a count."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.models import Fleet
from fleets.services.actor import Actor
from tests.factories import ProfileFactory, ProfileRevisionFactory
from tests.integration.commands.calling import Said, fleet

AGENTS: list[dict[str, Any]] = [
    {"agentId": "reviewer", "profile": {"name": "strict"}, "task": "[[ok]] Review."},
    {"agentId": "writer", "harness": "codex", "model": "gpt-5.5", "task": "[[ok]] Write."},
]


def run_file(folder: Path, agents: Any, *words: str) -> Said:
    path = folder / "night-shift.json"
    path.write_text(agents if isinstance(agents, str) else json.dumps(agents))
    return fleet("run", "--agents", str(path), "--max-spend-usd", "2", *words)


def test_agents_of_a_file_run_each_its_own_task(
    driving: None, emulator: EmulatorThread, tmp_path: Path
) -> None:
    said = run_file(tmp_path, AGENTS, "--json", "--placement", "dedicated")

    assert said.code == 0, said.err
    assert [agent["agentId"] for agent in said.document["agents"]] == ["reviewer", "writer"]
    assert len(said.document["machines"]) == 2
    row = Fleet.objects.get()
    assert row.name == "night-shift"
    assert {task.prompt for task in row.runs.get().tasks.all()} == {
        "[[ok]] Review.",
        "[[ok]] Write.",
    }
    assert "codex needs the name of its key's variable" in said.err
    assert '"apiKeyEnv": "OPENAI_API_KEY"' in said.err


def test_a_raw_key_is_refused_by_name_and_line_and_never_repeated(
    actor: Actor, tmp_path: Path
) -> None:
    text = '[\n {"agentId": "a", "task": "x",\n  "model": {"apiKey": "hunter2-hunter2"}}]'
    said = run_file(tmp_path, text)

    assert said.code == 2
    assert "fleet run: --agents: Line 3, agents[0].model.apiKey (a): a raw key" in said.err
    assert "hunter2" not in said.err + said.out
    assert not Fleet.objects.exists()


def test_an_agent_with_neither_message_nor_task_is_refused_by_name(
    actor: Actor, tmp_path: Path
) -> None:
    said = run_file(tmp_path, [*AGENTS, {"agentId": "idle"}])

    assert said.code == 2
    assert "agents[2] (idle): neither a message for all nor a task of its own" in said.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\xff\xfe[", "is not text in UTF-8"),
        (b"[" + b"{}," * 400_000 + b"{}]", "at most 1 MiB fits"),
        (b"[{]", "Line 1, column 3"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    actor: Actor, tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "agents.json"
    path.write_bytes(content)
    said = fleet("run", "--agents", str(path), "--max-spend-usd", "1")

    assert said.code == 2
    assert "fleet run: --agents: " in said.err
    assert words in said.err


def test_what_is_neither_a_number_nor_a_file_is_refused(actor: Actor, tmp_path: Path) -> None:
    for given in ("many", str(tmp_path), str(tmp_path / "none.json")):
        said = fleet("run", "Do it.", "--agents", given)
        assert said.code == 2
        assert "is neither a number of agents nor a file" in said.err


def test_a_profile_that_moved_on_is_refused_with_where_to_look_and_what_to_type(
    actor: Actor, tmp_path: Path
) -> None:
    profile = ProfileFactory(slug="fast", body={"name": "Fast"})
    ProfileRevisionFactory(profile=profile, body={"name": "Fast!"}, published_at=timezone.now())
    said = fleet("run", "Do it.", "--profile", "fast expect r1", "--max-spend-usd", "1")

    assert said.code == 2
    assert 'Try --profile "fast expect r2" or --profile "fast fixed r1".' in said.err
    assert "/profiles/fast/diff?a=1&b=2" in said.err
    stale = {"agentId": "a", "profile": {"profileId": "fast", "revision": 1}, "task": "x"}
    assert "/profiles/fast/diff?a=1&b=2" in run_file(tmp_path, [stale]).err
    assert not Fleet.objects.exists()
