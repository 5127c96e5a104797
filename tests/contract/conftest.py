"""The platform under test, one marker per test, and the count of each at the end."""

import asyncio
import os
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from emulator.config import DEFAULT_ACCOUNT_KEY, Config
from emulator.server import EmulatorThread
from fleets.platform_api.secret import Secret
from fleets.platform_api.types import BaseUrls
from tests.contract.leftovers import left_after, opened
from tests.contract.live import ADDRESSES, OUR_CHOICES, POLL, Purse, is_live, new_run_id, read_cap
from tests.contract.platform import Platform
from tests.contract.sweep import sweep

MARKERS = ("verified", "from_source", "our_choice", "emulator_only")
HERE = Path(__file__).parent
IS_LIVE = is_live()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    ours = [item for item in items if HERE in item.path.parents]
    for item in ours:
        found = [name for name in MARKERS if item.get_closest_marker(name)]
        if len(found) != 1:
            raise pytest.UsageError(f"{item.nodeid}: needs exactly one of {', '.join(MARKERS)}")
        # What replays a record or talks to a rude peer proves nothing about the platform itself.
        asks = "platform" in getattr(item, "fixturenames", ())
        item.user_properties.append(("asks_platform", asks))
        if IS_LIVE:
            _leave_out(item, marker=found[0])
    if IS_LIVE and ours:
        read_cap()
        if getattr(config.option, "numprocesses", None):
            raise pytest.UsageError("a run against the live service has one cap and one process")


def _leave_out(item: pytest.Item, *, marker: str) -> None:
    if marker == "emulator_only":
        item.add_marker(pytest.mark.skip(reason="only the emulator can be made to do this"))
    elif marker == "our_choice" and os.environ.get(OUR_CHOICES) != "1":
        told = getattr(getattr(item, "obj", None), "__doc__", None) or "no source gives it"
        reason = f"decided by us ({OUR_CHOICES}=1 asks the service): {told.strip()}"
        item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """A test that claims an operation has called it: the emulator's journal is asked."""
    yield
    made = getattr(item, "funcargs", {}).get("platform")
    claimed = {name for mark in item.iter_markers("covers") for name in mark.args}
    if claimed and made is not None and made.control_url is not None:
        assert claimed <= made.arrived(), "claims an operation that it has never called"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    asked: dict[str, Counter[str]] = {"passed": Counter(), "not passed": Counter()}
    by_itself = 0
    for outcome, reports in terminalreporter.stats.items():
        if outcome not in {"passed", "failed", "skipped", "error", "xfailed"}:
            continue
        for report in reports:
            if "tests/contract/" not in getattr(report, "nodeid", ""):
                continue
            if ("asks_platform", True) in report.user_properties:
                count = asked["passed" if outcome == "passed" else "not passed"]
                count.update(name for name in MARKERS if name in report.keywords)
            else:
                by_itself += outcome == "passed"
    if any(asked.values()) or by_itself:
        target = "the live platform" if IS_LIVE else "the emulator"
        for word, count in asked.items():
            figures = ", ".join(f"{name} {count[name]}" for name in MARKERS)
            terminalreporter.write_line(f"contract facts against {target}, {word}: {figures}")
        terminalreporter.write_line(
            f"passed without a platform (records, broken peers): {by_itself}"
        )


@pytest.fixture(scope="session")
def emulator() -> Iterator[EmulatorThread | None]:
    """One emulator for all contract tests; None against the live platform."""
    if IS_LIVE:
        yield None
        return
    with EmulatorThread(Config(control=True, pace="instant")) as thread:
        yield thread


@pytest.fixture(autouse=True)
def nothing_left_open(emulator: EmulatorThread | None) -> Iterator[None]:
    """No test leaves a thread, a socket or a connection of the database behind."""
    before = opened()
    yield
    assert left_after(before) == []


@pytest.fixture(scope="session")
def live_platform() -> Iterator[Platform | None]:
    """The live service with its cap; at the end of the run all that was made is removed."""
    if not IS_LIVE:
        yield None
        return
    sandbox, identity, router, key = (os.environ[name] for name in ADDRESSES)
    made = Platform(
        urls=BaseUrls(sandbox=sandbox, id=identity, router=router),
        account_key=Secret(key),
        run_id=new_run_id(),
        purse=Purse(read_cap()),
        patience_s=300.0,
        pause_s=float(os.environ.get(POLL, "2")),
        may_control=False,
    )
    yield made
    left = asyncio.run(sweep(made))
    assert left == [], f"still there, and it costs money: {left}"


@pytest.fixture
def platform(
    request: pytest.FixtureRequest,
    emulator: EmulatorThread | None,
    live_platform: Platform | None,
) -> Platform:
    """A platform in which nothing exists yet (emulator), or the live one as it is."""
    if live_platform is not None:
        return live_platform
    assert emulator is not None
    made = Platform(
        urls=BaseUrls(sandbox=emulator.sandbox_url, id=emulator.id_url, router=emulator.router_url),
        account_key=Secret(DEFAULT_ACCOUNT_KEY),
        run_id=new_run_id(),
        control_url=f"{emulator.base_url}/_emulator",
    )
    made.control("POST", "reset")
    made.control("POST", "dials", {"failure_share": 0, "rate_per_minute": 0})
    made.may_control = request.node.get_closest_marker("emulator_only") is not None
    return made
