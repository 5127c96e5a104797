"""Carrying rounds of the kill matrix out, one after the other, in one house.

A round's fleet goes on working while the next round begins, so that later kills fall into its end
too. What it came to is proved when its work has ended, with nothing held and no fault set.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from django.db import transaction

from fleets.models import Fleet, Team
from tests.integration.chaos.books import assert_the_books_agree
from tests.integration.chaos.house import House, waits_in_database
from tests.integration.chaos.matrix import Round
from tests.integration.chaos.person import LAUNCH_FORM
from tests.integration.chaos.proof import prove_nothing_is_left
from tests.integration.chaos.striking import LAUNCH, Moment, arm, carry_out, kill
from tests.integration.chaos.transcripts import assert_the_transcripts_are_whole
from tests.integration.chaos.waiting import eventually, has_ended

# How often a round may look for its moment, each time with another fleet.
_TRIES = 3


@dataclass
class Tally:
    """What the rounds came to. `missed`: the drawn moment did not come, and it was tried again."""

    rounds: int = 0
    fleets: int = 0
    turns: int = 0
    missed: int = 0
    emptied: int = 0
    kills: Counter[tuple[str, str]] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)


@dataclass
class Playing:
    """Rounds under way: fleets that still work, and fleets that have ended."""

    house: House
    tally: Tally = field(default_factory=Tally)
    at_work: list[tuple[Round, Fleet]] = field(default_factory=list)
    ended: list[Fleet] = field(default_factory=list)

    def play(self, what: Round) -> None:
        """One round: a fault, a fleet, a kill. What has ended of former rounds is proved."""
        self._calm()
        self._prove_ended()
        self._trouble(what)
        for attempt in range(_TRIES):
            fleet, struck = self._strike(what, attempt=attempt)
            self.at_work.append((what, fleet))
            self.tally.fleets += 1
            if struck:
                break
            self.tally.missed += 1
        else:
            self.tally.failed.append(f"{what}: the moment never came")
        if what.empties_redis:
            self.house.empty_redis()
            self.tally.emptied += 1
        if what.strike.victim == "emulator":
            # Its faults went with it.
            self.house.wait_until_up("emulator")
            self._trouble(what)
        self.tally.rounds += 1
        self.tally.kills[(what.strike.victim, what.family)] += 1
        self.tally.kinds[str(what.fault["kind"])] += 1

    def finish(self) -> None:
        """Wait for every fleet, prove them, delete them, and prove that nothing is left."""
        for what, fleet in self.at_work:
            with self._noting(what, fleet):
                self.house.wait_for_end_of_work(fleet)
        self._calm()
        for what, fleet in self.at_work:
            self._prove(what, fleet)
        self.at_work.clear()
        try:
            prove_nothing_is_left(self.house, self.ended)
        except AssertionError as error:
            self.tally.failed.append(f"deletes: {error}")
        self.ended.clear()

    def _calm(self) -> None:
        self.house.wait_until_up("emulator", "postgres")
        for fault in self.house.control("GET", "faults")["faults"]:
            self.tally.hits[fault["kind"]] += fault["hits"]
        self.house.control("DELETE", "faults")

    def _trouble(self, what: Round) -> None:
        self.house.control("POST", "faults", what.fault)

    def _strike(self, what: Round, *, attempt: int) -> tuple[Fleet, bool]:
        house, strike = self.house, what.strike
        form = LAUNCH_FORM | what.form
        if attempt:
            form |= {name: f"{form[name]}-{attempt}" for name in ("name", "idempotency_key")}
            strike = replace(strike, skip=0)
        if strike.victim == "web" and strike.moment is Moment.UNCOMMITTED:
            return self._launch_while_web_dies(what, form), True
        if strike.operation in LAUNCH:
            fault_id = arm(house, strike)
            fleet = house.launch(**form)
        else:
            fleet = house.launch(**form)
            fault_id = arm(house, strike, match=self._part_of_path(fleet, strike.operation))
        return fleet, carry_out(house, fleet, strike, fault_id=fault_id)

    def _part_of_path(self, fleet: Fleet, operation: str) -> str:
        """What only this fleet's requests have in their path."""
        if operation.startswith("fleets."):
            return fleet.public_id

        def known() -> str:
            fleet.refresh_from_db()
            machine = fleet.machines.order_by("position")[0]
            return fleet.key_id if operation.startswith("keys.") else machine.sandbox_id

        eventually(lambda: bool(known()), "not created", meanwhile=self.house.keep_up)
        return known()

    def _launch_while_web_dies(self, what: Round, form: dict[str, str]) -> Fleet:
        """The site dies while its transaction commits, or does not; the form is sent again."""
        house = self.house
        house.wait_until_up("web")
        arguments = ("/fleets/launch", form)
        person = replace(house.person, meanwhile=lambda: None)
        pressing = threading.Thread(target=person.press_until_answered, args=arguments, daemon=True)
        with transaction.atomic():
            list(Team.objects.select_for_update())
            pressing.start()
            eventually(lambda: waits_in_database("web"), "the site does not come to write")
            kill(house, what.strike)
        while pressing.is_alive():
            house.keep_up()
            time.sleep(0.02)
        return house.fleet_of(form)

    def _prove_ended(self) -> None:
        for what, fleet in list(self.at_work):
            if has_ended(fleet):
                self._prove(what, fleet)
                self.at_work.remove((what, fleet))

    def _prove(self, what: Round, fleet: Fleet) -> None:
        self.ended.append(fleet)
        with self._noting(what, fleet):
            assert (fleet.state, fleet.tasks_completed) == ("finished", fleet.agents.count())
            assert_the_books_agree(self.house.emulator, fleet)
            assert_the_transcripts_are_whole(self.house.emulator, fleet)
            self.tally.turns += fleet.tasks_completed

    @contextmanager
    def _noting(self, what: Round, fleet: Fleet) -> Iterator[None]:
        """Write down what is wrong instead of raising it: the other rounds are to be seen too."""
        try:
            yield
        except AssertionError as error:
            self.tally.failed.append(f"{what} [{fleet.public_id}]: {error}")


def play_all(
    house: House,
    rounds: Iterable[Round],
    *,
    fleets_between_deletes: int = 10,
    say: Callable[[str], None] = lambda words: None,
) -> Tally:
    """Play rounds to their end; what went wrong is in the tally's `failed`."""
    playing = Playing(house)
    wrong = playing.tally.failed
    for number, what in enumerate(rounds, start=1):
        began, known = time.monotonic(), len(wrong)
        try:
            playing.play(what)
        except AssertionError as error:
            wrong.append(f"{what}: {error}")
        if number % fleets_between_deletes == 0:
            playing.finish()
        say(f"{time.monotonic() - began:5.1f} s  {what}")
        for words in wrong[known:]:
            say(f"  FAILED {words}")
    playing.finish()
    return playing.tally
