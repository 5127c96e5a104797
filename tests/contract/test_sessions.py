"""Sessions as they are read: list, state, messages, ledger, interactions (contract 3.1, 3.4)."""

import uuid

import pytest

from fleets.platform_api.answers.executions import ExecutionRow
from fleets.platform_api.answers.interactions import Interaction
from fleets.platform_api.answers.messages import Message
from fleets.platform_api.errors import BadRequest, NotFound, WrongState
from fleets.platform_api.types import SessionState, TurnResult
from tests.contract.machines import MachineUnderTest
from tests.contract.platform import Platform
from tests.contract.raw import ask

PROMPT = "Say hello in one sentence. [[ok]] [[calls 1]]"
LONG = "Count from one to five hundred, one number a line. [[ok]] [[slow 200]]"


@pytest.mark.from_source
@pytest.mark.covers("sessions.state")
def test_the_state_of_a_session_names_its_active_execution(platform: Platform) -> None:
    """Contract 3.1: nested under `data` or `session`."""

    async def act(made: MachineUnderTest) -> None:
        receipt = await made.dispatch("agent-1", "t1-1", LONG)
        running = await made.account.sessions.state(made.sandbox_id, "agent-1")
        assert running.active_execution_id == receipt.execution_id
        assert running.waiting_for == ()
        await made.account.sessions.abort(made.sandbox_id, "agent-1")
        ended = await made.ended("agent-1")
        assert ended.active_execution_id is None
        with pytest.raises(NotFound):
            await made.account.sessions.state(made.sandbox_id, uuid.uuid4().hex)

    platform.with_machine(act)


@pytest.mark.our_choice
@pytest.mark.covers("sessions.list")
def test_a_machines_session_list_has_a_row_per_agent_and_pages(platform: Platform) -> None:
    """Contract 10 row 12a."""

    async def act(made: MachineUnderTest) -> None:
        for number in (1, 2, 3):
            await made.dispatch(f"agent-{number}", f"t{number}-1", PROMPT)
        pages = [
            await made.account.sessions.list(made.sandbox_id, limit=2, offset=offset)
            for offset in (0, 2)
        ]
        names = [row.session_id for page in pages for row in page.sessions]
        assert sorted(names) == ["agent-1", "agent-2", "agent-3"]
        assert {page.total for page in pages} == {3}

    platform.with_machine(act)


@pytest.mark.our_choice
@pytest.mark.covers("sessions.messages")
def test_a_session_is_read_as_messages(platform: Platform) -> None:
    """Contract 3.4, 10 row 12."""

    async def act(made: MachineUnderTest) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        await made.dispatch("agent-1", "t1-1", PROMPT)
        await made.ended("agent-1")
        whole = await made.account.sessions.messages(made.sandbox_id, "agent-1", limit=10)
        return whole, await made.account.sessions.messages(made.sandbox_id, "agent-1", limit=1)

    (asked, answered), latest = platform.with_machine(act)
    assert (asked.role, asked.text, asked.turn_id) == ("user", PROMPT, "t1-1")
    assert (answered.role, answered.completed, answered.interrupted) == ("assistant", True, False)
    assert answered.text
    assert latest == (answered,)


@pytest.mark.our_choice
@pytest.mark.covers("sessions.executions")
def test_a_sessions_ledger_has_a_row_for_each_turn(platform: Platform) -> None:
    """Contract 10 row 12."""

    async def act(
        made: MachineUnderTest,
    ) -> tuple[tuple[ExecutionRow, ...], TurnResult | None]:
        for turn_id in ("t1-1", "t1-2"):
            await made.dispatch("agent-1", turn_id, PROMPT)
            await made.ended("agent-1")
        rows = await made.account.sessions.executions(made.sandbox_id, "agent-1")
        return rows, await made.account.sessions.turn(made.sandbox_id, "agent-1", "t1-2")

    (first, second), result = platform.with_machine(act)
    assert (first.turn_id, second.turn_id) == ("t1-1", "t1-2")
    assert {first.status, second.status} == {"completed"}
    assert result is not None
    assert (second.execution_id, second.trace_id) == (result.execution_id, result.trace_id)
    assert (second.cost_usd, second.token_usage) == (result.cost_usd, result.usage)
    assert second.completed_at is not None
    assert second.started_at is not None
    assert second.completed_at >= second.started_at


@pytest.mark.from_source
@pytest.mark.covers("sessions.interactions")
def test_a_session_that_asks_nothing_has_no_interactions(platform: Platform) -> None:
    """Contract 3.1: `{data:{interactions:[…]}}`."""

    async def act(made: MachineUnderTest) -> tuple[Interaction, ...]:
        await made.dispatch("agent-1", "t1-1", PROMPT)
        await made.ended("agent-1")
        return await made.account.sessions.interactions(made.sandbox_id, "agent-1")

    assert platform.with_machine(act) == ()


@pytest.mark.from_source
@pytest.mark.covers("sessions.answer")
def test_an_answer_that_is_none_is_refused(platform: Platform) -> None:
    """Contract 1.2: `INVALID_INTERACTION_ANSWER` (400)."""

    async def act(made: MachineUnderTest) -> tuple[int, str | None]:
        await made.dispatch("agent-1", "t1-1", PROMPT)
        await made.ended("agent-1")
        path = f"/v1/sandboxes/{made.sandbox_id}/runtime/agents/sessions/agent-1/interactions"
        reply = await ask(platform, "POST", path, {"id": "int_none", "outcome": "perhaps"})
        return reply.status_code, reply.json().get("code")

    assert platform.with_machine(act) == (400, "INVALID_INTERACTION_ANSWER")


@pytest.mark.emulator_only
@pytest.mark.covers("sessions.interactions", "sessions.answer")
@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("approval", "blocked_on_approval"),
        ("question", "awaiting_question"),
        ("plan", "awaiting_plan_decision"),
    ],
)
def test_an_agent_that_asks_waits_and_is_answered_once(
    platform: Platform, kind: str, status: str
) -> None:
    """Contract 3.1, 3.4: only a script makes an agent ask for certain."""

    async def act(made: MachineUnderTest) -> tuple[TurnResult | None, SessionState, Interaction]:
        sessions, where = made.account.sessions, (made.sandbox_id, "agent-1")
        await made.dispatch("agent-1", "t1-1", f"[[ask {kind}]] Push it.")
        state = await made.ended("agent-1")
        result = await sessions.result(*where)
        (asked,) = await sessions.interactions(*where)
        for _time in range(2):  # the same answer twice is one
            await sessions.answer(*where, interaction_id=asked.id, outcome="accepted")
        with pytest.raises(WrongState):
            await sessions.answer(*where, interaction_id=asked.id, outcome="declined")
        with pytest.raises(NotFound):
            await sessions.answer(*where, interaction_id="int_none", outcome="accepted")
        assert await sessions.interactions(*where) == ()
        return result, state, asked

    result, state, asked = platform.with_machine(act)
    assert result is not None
    assert (result.status, result.success) == (status, False)
    assert asked.kind == kind
    assert state.waiting_for == (asked,)


@pytest.mark.emulator_only
@pytest.mark.covers("sessions.dispatch")
def test_a_turn_without_a_prompt_is_refused(platform: Platform) -> None:
    """Contract 3.2: `parts` hold text."""

    async def act(made: MachineUnderTest) -> None:
        with pytest.raises(BadRequest):
            await made.signed.sessions.dispatch(
                made.sandbox_id, session_id="", turn_id="t1-1", prompt="x"
            )

    platform.with_machine(act)
