"""What a machine does besides its agents: commands, files, capabilities (contract 2.4, 3.6)."""

import pytest

from fleets.platform_api.answers.capabilities import RuntimeCapabilities
from fleets.platform_api.answers.commands import CommandResult
from fleets.platform_api.errors import PlatformError, WrongState
from tests.contract.machines import MachineUnderTest
from tests.contract.platform import Platform


@pytest.mark.from_source
@pytest.mark.covers("runtime.command")
def test_a_command_answers_with_its_code_and_output(platform: Platform) -> None:
    """Contract 2.4."""

    async def act(made: MachineUnderTest) -> CommandResult:
        return await made.account.runtime.command(
            made.sandbox_id,
            'echo "$GREETING"; exit 3',
            env={"GREETING": "hello"},
            timeout_ms=20_000,
        )

    found = platform.with_machine(act)
    assert (found.exit_code, found.stdout, found.timed_out) == (3, "hello\n", False)
    assert found.duration_ms is None or found.duration_ms >= 0


@pytest.mark.from_source
@pytest.mark.covers("runtime.command")
def test_a_command_that_takes_too_long_is_stopped(platform: Platform) -> None:
    """Contract 1.2: 504 `EXEC_TIMEOUT`."""

    async def act(made: MachineUnderTest) -> CommandResult:
        return await made.account.runtime.command(made.sandbox_id, "sleep 30", timeout_ms=200)

    found = platform.with_machine(act)
    assert (found.exit_code, found.timed_out) == (None, True)


@pytest.mark.from_source
@pytest.mark.covers("runtime.write", "runtime.read")
def test_a_file_that_was_written_is_read_back(platform: Platform) -> None:
    """Contract 2.4."""

    async def act(made: MachineUnderTest) -> tuple[str, str]:
        runtime = made.account.runtime
        for content in ("first", "one\ntwo é\n"):
            await runtime.write_file(made.sandbox_id, "/tmp/note.txt", content=content)
        shown = await runtime.command(made.sandbox_id, "cat /tmp/note.txt")
        return await runtime.read_file(made.sandbox_id, "/tmp/note.txt"), shown.stdout

    assert platform.with_machine(act) == ("one\ntwo é\n", "one\ntwo é\n")


@pytest.mark.from_source
@pytest.mark.covers("runtime.read")
def test_a_file_that_is_not_there_cannot_be_read(platform: Platform) -> None:
    """Contract 1.2: a refusal with an error body, whichever its status."""

    async def act(made: MachineUnderTest) -> PlatformError:
        with pytest.raises(PlatformError) as caught:
            await made.account.runtime.read_file(made.sandbox_id, "/tmp/no-such-file")
        return caught.value

    assert (platform.with_machine(act).status or 0) >= 400


@pytest.mark.from_source
@pytest.mark.covers("runtime.capabilities")
def test_a_machine_says_what_its_runtime_can_do(platform: Platform) -> None:
    """Contract 3.6."""

    async def act(made: MachineUnderTest) -> RuntimeCapabilities:
        return await made.account.runtime.capabilities(made.sandbox_id)

    found = platform.with_machine(act)
    assert found.schema == 1
    assert found.agent_interface
    assert found.sidecar_version


@pytest.mark.our_choice
@pytest.mark.covers("runtime.command")
def test_a_stopped_machine_runs_no_command(platform: Platform) -> None:
    """Contract 1.2: which status a stopped machine's runtime answers is not given."""

    async def act(made: MachineUnderTest) -> None:
        boxes = made.account.sandboxes
        await boxes.stop(made.sandbox_id)
        await made.until(lambda: boxes.get(made.sandbox_id), lambda row: row.status == "stopped")
        with pytest.raises(WrongState) as caught:
            await made.account.runtime.command(made.sandbox_id, "true")
        assert caught.value.details.required_state == "running"

    platform.with_machine(act)
