"""Each process killed ten times under each family of faults: the kill matrix, whole."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.integration.chaos.house import House
from tests.integration.chaos.matrix import FAMILIES, VICTIMS, drawn_round
from tests.integration.chaos.rounds import Tally, play_all


def test_no_round_loses_a_turn_or_runs_one_twice(
    house: House, seed: int, rounds: range, capsys: pytest.CaptureFixture[str]
) -> None:
    def say(words: str) -> None:
        with capsys.disabled():
            print(words, flush=True)

    say(f"\nSEED={seed} ROUNDS={rounds.start}-{rounds.stop}")
    began = time.monotonic()
    tally = play_all(house, [drawn_round(seed, number) for number in rounds], say=say)
    took_s = time.monotonic() - began
    show(tally, say=say)
    alone = ", ".join(f"{name} {count}" for name, count in house.died_alone.items()) or "none"
    say(f"{took_s:.0f} s, {took_s / max(tally.rounds, 1):.1f} s a round; died by itself: {alone}")
    if tally.failed:
        kept = Path(mkdtemp(prefix="fleetdash-soak-"))
        for log in house.folder.glob("*.log"):
            shutil.copy(log, kept)
        say(f"What the processes said is in {kept}.")
    assert tally.failed == []


def show(tally: Tally, *, say: Callable[[str], None]) -> None:
    """The matrix, what struck, and what it all came to."""
    say("kills    " + "".join(f"{family:>10}" for family in FAMILIES))
    for victim in VICTIMS:
        counts = [tally.kills[(victim, family)] for family in FAMILIES]
        say(f"{victim:<9}" + "".join(f"{count:>10}" for count in counts))
    for kind, number in sorted(tally.kinds.items()):
        say(f"{kind:<24}{number:>4} rounds {tally.hits[kind]:>6} requests struck")
    say(
        f"{tally.rounds} rounds, {tally.fleets} fleets, {tally.turns} turns admitted once and "
        f"completed, Redis emptied {tally.emptied} times, {tally.missed} moments drawn again, "
        f"{len(tally.failed)} failed"
    )
