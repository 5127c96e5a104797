"""Launches for the driving tests."""

from fleets.domain.money import NUSD_PER_USD
from fleets.domain.spec import LaunchSpec
from fleets.models import Fleet
from fleets.services.actor import Actor
from fleets.services.launch import launch_fleet

CENT_NUSD = NUSD_PER_USD // 100


def launch(actor: Actor, *, key: str = "form-1", **changes: object) -> Fleet:
    """Twelve agents under three dollars, unless said otherwise."""
    asked: dict[str, object] = {
        "name": "review",
        "team_slug": "main",
        "count": 12,
        "prompt": "[[ok]] Review part {index} as {agent_id}.",
        "budget_nusd": 3 * NUSD_PER_USD,
        **changes,
    }
    return launch_fleet(LaunchSpec(**asked), actor=actor, idempotency_key=key)  # type: ignore[arg-type]
