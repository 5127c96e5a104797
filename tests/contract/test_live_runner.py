"""The guards of a run against the live service, proved on an emulator that poses as it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from emulator.config import Config
from emulator.server import EmulatorThread
from fleets.platform_api.client import PlatformClient
from fleets.platform_api.sandbox_spec import SandboxSpec
from tests.contract.live import ADDRESSES, CAP, POLL, TARGET, Purse, read_cap
from tests.contract.machines import MachineUnderTest
from tests.contract.platform import BUDGET_USD, Platform
from tests.contract.raw import ask
from tests.contract.sweep import sweep

pytestmark = pytest.mark.emulator_only
ROOT = Path(__file__).parents[2]
KEY = "sk-tan-posing-as-the-live-service"
FREE = "test_keys.py::test_a_minted_key_is_a_child_with_its_budget_and_works"
PAID = "test_runtime.py::test_a_command_answers_with_its_code_and_output"
BROKEN = "test_runtime.py::test_a_file_that_was_written_is_read_back"
OURS = "test_budgets.py::test_the_figures_of_a_key_add_up"
OF_THE_EMULATOR = "test_rate_limit.py::test_a_long_wait_is_handed_up_at_once"


@dataclass(frozen=True)
class Service:
    """An emulator on a port of its own; a run is told that it is the live service."""

    emulator: EmulatorThread

    def run(self, *tests: str, **environ: str) -> subprocess.CompletedProcess[str]:
        names = [f"tests/contract/{name}" for name in tests]
        addresses = (
            self.emulator.sandbox_url,
            self.emulator.id_url,
            self.emulator.router_url,
            KEY,
        )
        live = {TARGET: "live", POLL: "0.02", **dict(zip(ADDRESSES, addresses, strict=True))}
        outside = {name: value for name, value in os.environ.items() if name != CAP}
        # No plugin is needed, and starting without them takes a third of the time.
        bare = {
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "DJANGO_SETTINGS_MODULE": "fleetdash.settings_test",
        }
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", ".", "-rs", *names],
            cwd=ROOT,
            env={**outside, **bare, **live, **environ},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def control(self, method: str, name: str, body: Any = None) -> Any:
        url = f"{self.emulator.base_url}/_emulator/{name}"
        with httpx.Client(verify=False, trust_env=False) as client:
            return client.request(method, url, json=body).json()

    def arrived(self) -> list[str]:
        return [entry["operation"] for entry in self.control("GET", "journal")["entries"]]


@pytest.fixture
def service() -> Iterator[Service]:
    with EmulatorThread(Config(control=True, pace="instant", account_key=KEY)) as thread:
        yield Service(thread)


def test_without_a_cap_nothing_is_started(service: Service) -> None:
    run = service.run(FREE, PAID)
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert CAP in run.stderr + run.stdout
    assert service.arrived() == []


def test_a_run_keeps_to_its_cap_and_leaves_nothing(service: Service) -> None:
    """Even where a test and its own cleaning fail."""
    for operation, kind in (("runtime.write", "error"), ("sandboxes.delete", "reset")):
        service.control("POST", "faults", {"operation": operation, "kind": kind, "count": 1})
    # The first that pays may spend the whole cap; it spends a little, so the next may not begin.
    run = service.run(FREE, BROKEN, PAID, OURS, OF_THE_EMULATOR, **{CAP: str(BUDGET_USD)})
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout
    assert "1 failed, 1 passed, 3 skipped" in run.stdout
    assert "contract facts against the live platform" in run.stdout
    for reason in ("could pass the cap", "decided by us", "only the emulator can be made to"):
        assert reason in run.stdout
    assert KEY not in run.stdout + run.stderr
    arrived = service.arrived()
    assert arrived.count("sandboxes.create") == 1
    assert arrived.count("sandboxes.delete") == 2  # by the test in vain, by the sweep
    left = service.control("GET", "left")
    assert not any(left.values()), left


ADDRESSED = dict.fromkeys(ADDRESSES, "x")


@pytest.mark.parametrize("told", ["", "much", "0", "-1", "NaN", "Infinity"])
def test_a_cap_is_a_sum_above_zero(told: str) -> None:
    with pytest.raises(pytest.UsageError, match=CAP):
        read_cap({**ADDRESSED, CAP: told})


@pytest.mark.parametrize("missing", ADDRESSES)
def test_every_address_and_the_key_are_asked_for(missing: str) -> None:
    environ: Mapping[str, str] = {**ADDRESSED, missing: "", CAP: "2"}
    with pytest.raises(pytest.UsageError, match=missing):
        read_cap(environ)
    assert read_cap({**ADDRESSED, CAP: "2"}) == 2


def test_what_was_spent_counts_towards_the_cap(platform: Platform) -> None:
    """By the balance, or by what the run's own keys say, whichever is more."""

    async def spend(made: MachineUnderTest) -> None:
        await made.dispatch("agent-1", "t1-1", "Say hello. [[ok]]")
        await made.ended("agent-1")

    platform.purse = purse = Purse(cap_usd=BUDGET_USD)
    platform.with_machine(spend)
    assert purse.told_by_keys_usd > 0
    with pytest.raises(pytest.skip.Exception, match="could pass the cap"):
        platform.with_machine(spend)
    purse.told_by_keys_usd = Decimal(0)
    with pytest.raises(pytest.skip.Exception, match="could pass the cap"):
        platform.with_machine(spend)


def test_a_sweep_takes_what_the_run_made_and_nothing_else(platform: Platform) -> None:
    async def act(client: PlatformClient) -> tuple[list[str], dict[str, list[str]]]:
        for name in (platform.new_name(), "somebody-elses"):
            await client.keys.mint(name, budget_usd=None)
            await client.sandboxes.create(SandboxSpec(name=name))
            await client.fleets.create(name, machines=[{"machineId": f"{name}-m"}])
            await client.profiles.put(name, profile={"name": "x"}, base=None)
        for variable in (f"{platform.variable_prefix}_A", "SOMEBODY_ELSES"):
            await ask(platform, "POST", "/v1/secrets", {"name": variable, "value": "x"})
        left = await sweep(platform)
        fleets = await client.fleets.list()
        boxes = await client.sandboxes.list()
        keys = await client.keys.list_children()
        profiles = await client.profiles.list()
        return left, {
            "profiles": [row.profile_id for row in profiles.profiles],
            "secrets": [row.name for row in await client.secrets.list()],
            "fleets": [row.fleet_id for row in fleets.fleets],
            "sandboxes": [row.name or "" for row in boxes],
            "keys": [row.name or "" for row in keys if row.revoked_at is None],
        }

    left, found = platform.run(act)
    assert left == []
    assert found == {
        "profiles": ["somebody-elses"],
        "secrets": ["SOMEBODY_ELSES"],
        "fleets": ["somebody-elses"],
        "sandboxes": ["somebody-elses", "somebody-elses-m"],
        "keys": ["somebody-elses"],
    }


def test_what_a_sweep_cannot_remove_is_told(platform: Platform) -> None:
    platform.fault("keys.revoke", "error", status=403)

    async def act(client: PlatformClient) -> list[str]:
        minted = await client.keys.mint(platform.new_name(), budget_usd=None)
        left = await sweep(platform)
        return [line for line in left if line.startswith(f"key {minted.id}")]

    assert platform.run(act)
    assert asyncio.run(sweep(platform))
