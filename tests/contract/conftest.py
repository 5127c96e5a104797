"""The platform under test, one marker per test, and the count of each at the end."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from emulator.config import DEFAULT_ACCOUNT_KEY, Config
from emulator.server import EmulatorThread
from fleets.platform_api.secret import Secret
from fleets.platform_api.types import BaseUrls
from tests.contract.leftovers import left_after, opened
from tests.contract.platform import IS_LIVE, Platform

MARKERS = ("verified", "from_source", "our_choice", "emulator_only")
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE not in item.path.parents:
            continue
        found = [name for name in MARKERS if item.get_closest_marker(name)]
        if len(found) != 1:
            raise pytest.UsageError(f"{item.nodeid}: needs exactly one of {', '.join(MARKERS)}")
        # What replays a record or talks to a rude peer proves nothing about the platform itself.
        asks = "platform" in getattr(item, "fixturenames", ())
        item.user_properties.append(("asks_platform", asks))
        if IS_LIVE and found == ["emulator_only"]:
            item.add_marker(pytest.mark.skip(reason="only the emulator can be made to do this"))


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


@pytest.fixture
def platform(emulator: EmulatorThread | None) -> Platform:
    """A platform in which nothing exists yet (emulator), or the live one as it is."""
    if emulator is None:
        return live()
    made = Platform(
        urls=BaseUrls(sandbox=emulator.sandbox_url, id=emulator.id_url, router=emulator.router_url),
        account_key=Secret(DEFAULT_ACCOUNT_KEY),
        control_url=f"{emulator.base_url}/_emulator",
    )
    made.control("POST", "reset")
    made.control("POST", "dials", {"failure_share": 0, "rate_per_minute": 0})
    return made


def live() -> Platform:
    """The live platform, from the variables that the product itself reads."""
    names = ("PLATFORM_SANDBOX_URL", "PLATFORM_ID_URL", "PLATFORM_ROUTER_URL", "PLATFORM_API_KEY")
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        raise pytest.UsageError(f"PLATFORM_TARGET=live needs {', '.join(missing)}")
    sandbox, identity, router, key = (os.environ[name] for name in names)
    return Platform(
        urls=BaseUrls(sandbox=sandbox, id=identity, router=router),
        account_key=Secret(key),
        patience_s=300.0,
    )
