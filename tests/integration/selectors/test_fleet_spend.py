"""The spend card: a balance that adds up whatever the fleet is doing, and figures that tell."""

from datetime import timedelta

import pytest
from django.utils import timezone

from fleets.domain.money import NUSD_PER_USD
from fleets.domain.status import FleetState
from fleets.models import Fleet
from fleets.selectors.fleet_spend import spend_card
from tests.factories import FleetFactory

pytestmark = pytest.mark.django_db
CENT = NUSD_PER_USD // 100


def fleet_with(**fields: object) -> Fleet:
    told: dict[str, object] = {
        "spent_nusd": 20 * CENT,
        "reserved_nusd": 0,
        "remaining_nusd": 262 * CENT,
        "key_seen_at": timezone.now(),
        **fields,
    }
    fleet: Fleet = FleetFactory(**told)
    return fleet


@pytest.mark.parametrize("state", [FleetState.RUNNING, FleetState.FINISHED, FleetState.CANCELLED])
def test_what_is_held_is_told_as_long_as_the_remainder_was_read_with_it(state: FleetState) -> None:
    card = spend_card(fleet_with(state=state))

    assert (card.spent_nusd, card.held_nusd, card.remaining_nusd) == (
        20 * CENT,
        18 * CENT,
        262 * CENT,
    )
    assert [part.kind for part in card.bar] == ["used", "held"]


@pytest.mark.parametrize("gone", [{"state": FleetState.DELETED}, {"key_revoked_at": True}])
def test_a_key_that_is_gone_leaves_nothing_to_spend(gone: dict[str, object]) -> None:
    if "key_revoked_at" in gone:
        gone = {"key_revoked_at": timezone.now()}
    card = spend_card(fleet_with(remaining_nusd=96 * CENT, key_cap_nusd=20 * CENT, **gone))

    assert (card.remaining_nusd, card.held_nusd, card.reserved_nusd) == (None, None, None)
    assert card.unspent_nusd == 280 * CENT
    assert card.is_final
    assert card.cap_nusd is None


def test_what_was_spent_is_not_final_while_the_key_lives() -> None:
    card = spend_card(fleet_with(state=FleetState.FINISHED))

    assert not card.is_final
    assert card.unspent_nusd is None


def test_what_machines_alone_burn_says_nothing_while_calls_hold_money() -> None:
    alone = fleet_with(tasks_running=9, machines_running=2, burn_nusd_per_min=3_000_000)
    settled = fleet_with(tasks_running=9, machines_running=2, burn_nusd_per_min=27 * CENT)

    assert (spend_card(alone).burn_nusd_per_min, spend_card(alone).out_in_s) == (None, None)
    assert spend_card(settled).burn_nusd_per_min == 27 * CENT
    assert spend_card(settled).out_in_s == 262 * 60 // 27


@pytest.mark.parametrize("state", [FleetState.DELETING, FleetState.FINISHED, FleetState.DELETED])
def test_what_does_not_work_has_no_burn_and_no_end_of_its_budget(state: FleetState) -> None:
    card = spend_card(fleet_with(state=state, burn_nusd_per_min=27 * CENT))

    assert (card.burn_nusd_per_min, card.out_in_s) == (None, None)


def test_the_reading_tells_its_own_time() -> None:
    at = timezone.now() - timedelta(minutes=3)

    assert spend_card(fleet_with(key_seen_at=at)).seen_at == at
