"""Agents of a file, each its own: placed by the rules, and what the platform received of each."""

import base64
import json
from typing import Any

import httpx

from emulator.server import EmulatorThread
from fleets.domain.agents_file import read_agents
from fleets.domain.canonical_json import profile_digest
from fleets.models import Agent, AgentProfile, Fleet
from fleets.services.actor import Actor
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_to_end

KEY_ENV = "OPENAI_API_KEY"
STRICT = {
    "name": "strict-reviewer",
    "model": {"default": "gpt-4.1", "maxTotalOutputTokens": 4000},
    "resources": {"skills": [{"kind": "inline", "name": "law", "content": "The rules."}]},
}
KIND = {"name": "kind-reviewer", "prompt": {"appendSystemPrompt": "Be kind – très gentil."}}
CODEX = {"name": "codex-writer", "harness": "codex", "model": {"default": "openai/gpt-5.5"}}
MIXED = [
    {"agentId": "strict-1", "profile": STRICT, "task": "[[ok]] Review one."},
    {"agentId": "strict-2", "profile": STRICT, "task": "[[ok]] Review two."},
    {"agentId": "kind-1", "profile": KIND, "task": "[[ok]] Review three."},
    {"agentId": "codex-1", "profile": CODEX, "model": {"apiKeyEnv": KEY_ENV}, "task": "[[ok]] W."},
    {"agentId": "plain", "task": "[[ok]] Look."},
    {"agentId": "alone", "model": "zai/glm-5.3", "task": "[[ok]] A.", "placement": "dedicated"},
]


def launched(actor: Actor, agents: list[Any] = MIXED, **changes: object) -> Fleet:
    plans = read_agents(
        json.dumps(agents), harness="opencode", model="gpt-4.1-mini", has_message=False
    )
    changes = {"prompt": "", "count": len(plans), "agents": plans, **changes}
    return drive_to_end(launch(actor, **changes))  # type: ignore[arg-type]


def received(emulator: EmulatorThread) -> dict[str, dict[str, Any]]:
    """What arrived for the newest turn of each session, as the journal has it, by session id."""
    entries = control(emulator, "GET", "journal?operation=sessions.dispatch")["entries"]
    return {entry["sessionId"]: json.loads(entry["body"]) for entry in entries}


def prompt_in(body: dict[str, Any]) -> str:
    return base64.b64decode(body["parts"][0]["text"]).decode()


def note_of(emulator: EmulatorThread, sandbox_id: str) -> dict[str, Any]:
    """What a machine's metadata tells of its agents."""
    answer = httpx.get(
        f"{emulator.sandbox_url}/v1/sandboxes/{sandbox_id}",
        headers={"Authorization": f"Bearer {emulator.config.account_key}"},
        verify=False,
    )
    note: dict[str, Any] = answer.raise_for_status().json()["metadata"]["fleetdash"]
    return note


def test_a_mixed_file_is_placed_by_the_rules(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = launched(actor)

    assert fleet.state == "finished", fleet.stop_sentence
    machines = [
        {agent.agent_id for agent in machine.agents.all()} for machine in fleet.machines.all()
    ]
    together = {name: machine for machine in machines for name in machine}
    assert together["alone"] == {"alone"}
    assert "strict-2" in together["strict-1"]
    # Three profiles of one family (none is one of its own) need three machines.
    assert len({id(together[name]) for name in ("strict-1", "kind-1", "plain")}) == 3
    # Another family shares with whoever comes first by name.
    assert together["codex-1"] == {"codex-1", "kind-1"}


def test_what_the_platform_received_per_turn_is_each_agents_own(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launched(actor)
    bodies = received(emulator)
    expected = {
        "strict-1": ("opencode", {"model": "gpt-4.1"}, STRICT),
        "strict-2": ("opencode", {"model": "gpt-4.1"}, STRICT),
        "kind-1": ("opencode", {"model": "gpt-4.1-mini"}, KIND),
        "codex-1": ("codex", {"model": "openai/gpt-5.5", "apiKeyEnv": KEY_ENV}, CODEX),
        "plain": ("opencode", {"model": "gpt-4.1-mini"}, None),
        "alone": ("opencode", {"model": "zai/glm-5.3"}, None),
    }
    found = {}
    for agent in Agent.objects.filter(fleet=fleet):
        backend = bodies[agent.session_id]["backend"]
        found[agent.agent_id] = (backend["type"], backend["model"], backend.get("profile"))
    assert found == expected


def test_what_really_ran_is_what_was_asked(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = launched(actor)
    ran = {one["sessionId"]: one for one in control(emulator, "GET", "state")["executions"]}

    for agent in Agent.objects.filter(fleet=fleet).select_related("profile"):
        execution = ran[agent.session_id]
        digest = (execution["profile"] or {}).get("digest")
        assert digest == (agent.profile.digest if agent.profile else None)
        assert (execution["harness"], execution["model"]) == (agent.harness, agent.model)
        assert agent.effective_harness == agent.harness
        assert agent.effective_model.endswith(agent.model.rpartition("/")[2])


def test_machines_tell_of_their_agents_by_digest_and_task(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launched(actor)
    notes = [note_of(emulator, machine.sandbox_id) for machine in fleet.machines.all()]
    told = {one["agentId"]: one for note in notes for one in note["agents"]}

    assert {note["fleetId"] for note in notes} == {fleet.public_id}
    assert told["strict-1"]["profile"] == {"digest": profile_digest(STRICT)}
    assert "profile" not in told["plain"]
    assert told["kind-1"]["task"] == "[[ok]] Review three."
    assert "The rules." not in json.dumps(notes)


def test_agents_with_one_profile_keep_it_once(emulator: EmulatorThread, actor: Actor) -> None:
    fleet = launched(actor)
    rows = AgentProfile.objects.filter(fleet=fleet)

    assert {row.digest for row in rows} == {profile_digest(one) for one in (STRICT, KIND, CODEX)}
    assert json.loads(rows.get(name="kind-reviewer").body) == KIND
    codex = Agent.objects.get(fleet=fleet, agent_id="codex-1")
    assert codex.model_options == {"apiKeyEnv": KEY_ENV}


def test_one_message_goes_to_all_instead_of_their_tasks(
    emulator: EmulatorThread, actor: Actor
) -> None:
    fleet = launched(actor, prompt="[[ok]] Message for {agent_id}.")
    prompts = {prompt_in(body) for body in received(emulator).values()}

    assert prompts == {f"[[ok]] Message for {agent.agent_id}." for agent in fleet.agents.all()}
