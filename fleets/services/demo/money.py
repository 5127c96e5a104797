"""The money of one fleet of the data set: what was spent and held adds up to its budget."""

from datetime import datetime

from fleets.domain.budget import worst_call_nusd
from fleets.domain.money_input import parse_usd
from fleets.domain.prices import MACHINE_SIZES, model_price
from fleets.domain.status import OutcomeReason
from fleets.domain.stopping import stop_sentence
from fleets.models import Fleet, SealedSecret
from fleets.services.demo.catalog import Story
from fleets.services.demo.figures import hex_of


def budget_of(story: Story) -> int | None:
    """The budget in nanodollars, None for none."""
    return parse_usd(story.budget_usd, place="budget") if story.budget_usd else None


def give_key(fleet: Fleet) -> None:
    """A key that opens nothing anywhere, so that the page says who holds it."""
    if fleet.budget_nusd is None:
        return
    fleet.key_id = f"key-{hex_of('key', fleet.public_id, digits=12)}"
    secret = f"sk-tan-demo-{hex_of('secret', fleet.public_id, digits=16)}"
    fleet.key_secret, fleet.key_last_four = SealedSecret.seal(secret), secret[-4:]
    fleet.key_cap_nusd = fleet.budget_nusd


def settle(fleet: Fleet, *, turns_nusd: int, machine_s: float, at_work: int, now: datetime) -> None:
    """Write spent, held and remaining. `machine_s`: seconds that all machines ran together."""
    compute = int(MACHINE_SIZES[fleet.size].nusd_per_s * machine_s)
    if fleet.budget_nusd is None:
        return
    held = min(at_work, 4) * (worst_call_nusd(model_price(fleet.model)) or 0) // 2
    spent = min(fleet.budget_nusd, turns_nusd + compute)
    fleet.spent_nusd = spent
    fleet.reserved_nusd = fleet.reserved_nusd or 0
    left = fleet.budget_nusd - spent - fleet.reserved_nusd
    fleet.remaining_nusd = left - min(held, left)
    fleet.key_seen_at = now
    if at_work:
        minutes = max(1.0, (now - fleet.created_at).total_seconds() / 60)
        fleet.burn_nusd_per_min = max(1, int(spent / minutes))


def tell_the_stop(fleet: Fleet, *, calls_in_flight: int) -> None:
    """Why the budget stopped it, in the product's own sentence."""
    fleet.stop_reason = OutcomeReason.BUDGET
    fleet.stop_sentence = stop_sentence(
        budget_nusd=fleet.budget_nusd or 0,
        spent_nusd=fleet.spent_nusd or 0,
        reserved_nusd=fleet.reserved_nusd or 0,
        worst_call_nusd=worst_call_nusd(model_price(fleet.model)),
        calls_in_flight=calls_in_flight,
    )
