"""Many rows in one statement: the same as saving each, with every kind of value."""

from datetime import UTC, datetime

import pytest
from django.db import DataError, IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from fleets.domain.status import TurnOutcome, TurnState
from fleets.models import Turn
from fleets.services.row_updates import update_rows
from tests.factories import TurnFactory

FIELDS = ["state", "outcome", "ended_at", "cost_nusd", "error", "ended_after_stop", "dispatches"]


def _ended(turn: Turn, **changes: object) -> Turn:
    turn.state, turn.outcome = TurnState.ENDED, TurnOutcome.COMPLETED
    for name, value in changes.items():
        setattr(turn, name, value)
    return turn


@pytest.mark.django_db
def test_every_kind_of_value_comes_back_as_it_was_written() -> None:
    at = datetime(2026, 11, 29, 12, 0, 0, 123456, tzinfo=UTC)
    rich = _ended(
        TurnFactory(), ended_at=at, cost_nusd=2**53, error="a 'quote', 100 % {x} ü", dispatches=3
    )
    poor = _ended(TurnFactory(), ended_after_stop=True)
    untouched = TurnFactory(error="mine")

    with CaptureQueriesContext(
        connection,
    ) as queries:
        update_rows([rich, poor], FIELDS)

    assert len(queries) == 1
    stored = {turn.pk: turn for turn in Turn.objects.all()}
    for turn in (rich, poor, untouched):
        for name in FIELDS:
            assert getattr(stored[turn.pk], name) == getattr(turn, name), name


@pytest.mark.django_db
def test_a_row_given_twice_is_written_as_its_last_copy() -> None:
    first = TurnFactory()
    second = Turn.objects.get(pk=first.pk)
    first.error, second.error = "old", "new"

    update_rows([first, second], ["error"])

    assert Turn.objects.get(pk=first.pk).error == "new"


@pytest.mark.django_db
def test_what_is_too_long_for_its_column_is_refused_not_cut() -> None:
    turn = TurnFactory()
    turn.error = "x" * 501

    with pytest.raises(DataError):
        update_rows([turn], ["error"])


@pytest.mark.django_db
def test_a_constraint_of_the_table_holds_for_many_rows_too() -> None:
    turn = TurnFactory()
    turn.state = TurnState.ENDED

    with pytest.raises(IntegrityError):
        update_rows([turn], ["state"])


@pytest.mark.django_db
def test_no_rows_ask_nothing_of_the_database() -> None:
    with CaptureQueriesContext(connection) as queries:
        update_rows([], ["error"])

    assert len(queries) == 0
