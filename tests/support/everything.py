"""What `make test` does: lint, types and every folder of tests, then one summary.

A step that fails does not keep the later ones from running. The checks run side by side, together
with a first look at all tests, whose compiled files every process of the tests then finds.
`NO_BROWSER=1` leaves the browser tests out, and the summary says so. `ONLY=lint` runs the checks
alone (`make check`).
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from fleetdash.onemachine.programs import tied
from tests.support import chromium

ROOT = Path(__file__).resolve().parents[2]
_BIN = Path(sys.executable).parent
# One order of the tests for all runs, so that a red run can be repeated; SEED=… shuffles anew.
_ORDER = f"--randomly-seed={os.environ.get('SEED', '20')}"
_PYTEST = (sys.executable, "-m", "pytest", "-q", _ORDER)
_FOLDERS = ("unit", "integration", "contract", "meta")
_NO_TESTS = 5


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the run; `refusal` says why it cannot run and counts as a failure."""

    name: str
    command: tuple[str, ...] = ()
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a step, and how long it took."""

    name: str
    passed: bool
    word: str
    took_s: float


def checks() -> list[Step]:
    """Lint, layers and types; none of them needs a server."""
    module = (sys.executable, "-m")
    return [
        Step("ruff check", (*module, "ruff", "check", ".")),
        Step("ruff format", (*module, "ruff", "format", "--check", ".")),
        Step("djlint", (*module, "djlint", "templates", "--lint", "--quiet")),
        Step("oxlint", (str(_BIN / "oxlint"), "static/js", "--deny-warnings")),
        Step("import contracts", (sys.executable, "-c", _LINT_IMPORTS)),
        Step("mypy", (*module, "mypy", ".")),
    ]


# The program `lint-imports` by its function: its own file breaks when a checkout is moved.
_LINT_IMPORTS = (
    "import sys; from importlinter.cli import lint_imports;"
    "sys.exit(lint_imports(no_cache=True, no_logo=True))"
)


def looking() -> Step:
    """Every test is imported once, and compiled: each process does it in half the time then."""
    folders = [f"tests/{name}" for name in (*_FOLDERS, "browser")]
    return Step("finding the tests", (*_PYTEST, "--collect-only", "-qq", *folders))


def tests() -> list[Step]:
    """Every folder of tests. They wait more than they work, so five processes share two cores."""
    processes = ("-n", os.environ.get("TEST_PROCESSES", "5"))
    folders = [f"tests/{name}" for name in _FOLDERS]
    # A file stays together for what its tests share; the browser's one long file shares nothing.
    steps = [
        Step(
            "tests",
            (*_PYTEST, *processes, "--dist", "loadfile", "--no-loadscope-reorder", *folders),
        )
    ]
    return [*steps, *_browser()]


def _browser() -> list[Step]:
    if os.environ.get("NO_BROWSER") == "1":
        return []
    try:
        program = chromium.find() or _install()
    except chromium.NoChromiumError as reason:
        return [Step("browser tests", refusal=str(reason))]
    os.environ["CHROMIUM"] = str(program)
    return [Step("browser tests", (*_PYTEST, "-n", "2", "--dist", "load", "tests/browser"))]


def _install() -> Path:
    print("Chromium is missing: installing Debian's package …", flush=True)
    return chromium.install()


def run(step: Step, output: IO[bytes] | None = None) -> Outcome:
    """Run one step; without `output` what it says is shown as it comes."""
    started = time.monotonic()
    if step.refusal:
        print(step.refusal, flush=True)
        return Outcome(step.name, passed=False, word="could not run", took_s=0)
    # Tied: a run that is killed takes its step along.
    result = subprocess.run(
        tied(step.command),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output and subprocess.STDOUT,
        check=False,
    )
    word = "ok" if result.returncode == 0 else f"FAILED (exit {result.returncode})"
    if step.command[:3] == _PYTEST[:3] and result.returncode == _NO_TESTS:
        word = "FAILED: there were no tests"
    return Outcome(step.name, result.returncode == 0, word, time.monotonic() - started)


def run_together(steps: Sequence[Step]) -> list[Outcome]:
    """Run them side by side; of one that fails everything is shown that it said."""

    def run_aside(step: Step) -> Outcome:
        with TemporaryFile() as output:
            outcome = run(step, output)
            if not outcome.passed:
                output.seek(0)
                _head(step)
                print(output.read().decode(errors="replace"), flush=True)
        return outcome

    with ThreadPoolExecutor(len(steps)) as together:
        return list(together.map(run_aside, steps))


def run_in_turn(steps: Sequence[Step]) -> list[Outcome]:
    """Run one after the other, each with its output shown as it comes."""
    outcomes = []
    for step in steps:
        _head(step)
        outcomes.append(run(step))
    return outcomes


def _head(step: Step) -> None:
    print(f"\n=== {step.name} ===", flush=True)


def summary(outcomes: Sequence[Outcome]) -> str:
    """The table at the end: one line a step."""
    lines = [f"{one.name:<18}{one.took_s:>7.1f} s  {one.word}" for one in outcomes]
    if os.environ.get("NO_BROWSER") == "1" and os.environ.get("ONLY") != "lint":
        lines.append("browser tests         LEFT OUT, because NO_BROWSER=1 is set")
    return "\n".join(["", "=== summary ===", *lines])


def main() -> int:
    # Where nothing compiled is kept, each of some hundred processes compiles the product anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    is_all = os.environ.get("ONLY") != "lint"
    outcomes = run_together([*checks(), *([looking()] if is_all else [])])
    outcomes += run_in_turn(tests() if is_all else [])
    print(summary(outcomes), flush=True)
    failed = [one.name for one in outcomes if not one.passed]
    print(f"Not passed: {', '.join(failed)}." if failed else "All of it is fine.", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
