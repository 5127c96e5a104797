"""Three small fleets that are really launched, so that something moves."""

import secrets
from typing import Final

from fleets.domain.money import NUSD_PER_USD
from fleets.domain.spec import LaunchSpec
from fleets.models import Fleet, Team
from fleets.services.actor import Actor
from fleets.services.launch import launch_fleet

_FLEETS: Final = (
    ("live-review", 8, "Review part {index} of the repository and say what is wrong."),
    ("live-translate", 5, "Translate chapter {index} into German."),
    ("live-mixed", 6, "[[fail if agent-3]] Upgrade package {index}; you are {agent_id}."),
)


def launch_live(actor: Actor) -> list[Fleet]:
    """Launch them for the first team of whoever asks. They cost what they cost."""
    user = actor.user
    team = (user.teams.first() if user else None) or Team.objects.first()
    return [
        launch_fleet(
            LaunchSpec(
                name=name,
                team_slug=team.slug if team else "main",
                count=count,
                prompt=prompt,
                budget_nusd=NUSD_PER_USD,
                tags=("demo-live",),
            ),
            actor=actor,
            idempotency_key=f"demo-live-{secrets.token_hex(8)}",
        )
        for name, count, prompt in _FLEETS
    ]
