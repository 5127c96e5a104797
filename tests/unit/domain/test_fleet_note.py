"""What a machine's metadata says of its agents."""

import pytest

from fleets.domain.fleet_note import MOST_AGENTS, agent_id_of, noted_agents


def test_agents_are_read_as_far_as_they_are_as_agreed() -> None:
    rows = [
        {"agentId": "a-1", "sessionId": "s-1", "harness": "codex", "model": 7, "task": "Go"},
        {"agentId": "../x", "sessionId": "s-2"},
        {"agentId": "a-3"},
        {"agentId": "a-4", "sessionId": "s" * 121},
        "a-5",
    ]
    (agent,) = noted_agents({"fleetdash": {"schema": 1, "agents": rows}})

    assert (agent.agent_id, agent.session_id, agent.harness) == ("a-1", "s-1", "codex")
    assert (agent.model, agent.task) == ("", "Go")


@pytest.mark.parametrize("metadata", [{}, {"fleetdash": []}, {"fleetdash": {"agents": {"a": 1}}}])
def test_anything_else_names_no_agent(metadata: dict[str, object]) -> None:
    assert noted_agents(metadata) == ()


def test_a_note_without_end_is_cut() -> None:
    rows = [{"agentId": f"a-{n}", "sessionId": f"s-{n}"} for n in range(MOST_AGENTS + 5)]

    assert len(noted_agents({"fleetdash": {"agents": rows}})) == MOST_AGENTS


@pytest.mark.parametrize(
    ("session_id", "agent_id"),
    [("run 1/x", "run-1-x"), ("…", "session"), ("-a-", "a"), ("x" * 90, "x" * 63)],
)
def test_a_session_without_a_note_gives_an_agent_its_id(session_id: str, agent_id: str) -> None:
    assert agent_id_of(session_id) == agent_id
