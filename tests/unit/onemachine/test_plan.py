"""What `make up` would start, by the variables it is given."""

import pytest

from fleetdash.onemachine.plan import Plan
from fleetdash.onemachine.programs import EMULATOR, applications
from fleetdash.onemachine.refusals import Refusal


def emulator(**variables: str) -> tuple[str, ...]:
    plan = Plan.read({"FLEETDASH_VAR": "/data", **variables})
    return next(one.command for one in applications(plan) if one.name == EMULATOR)


def test_commands_run_for_real_only_when_asked() -> None:
    assert "--exec" not in emulator()
    assert "--exec" not in emulator(EXEC="0")
    command = emulator(EXEC="1")
    assert command[command.index("--exec") + 1] == "/data/machines"


def test_a_flag_is_0_or_1() -> None:
    with pytest.raises(Refusal, match="EXEC=yes is neither 0 nor 1"):
        emulator(EXEC="yes")
