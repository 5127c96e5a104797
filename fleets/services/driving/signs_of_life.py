"""Writes when turns that simply go on were last heard of: one statement for all of a round.

Most of what a reading shows is that a turn still runs. Whole rows would be loaded and written for
that, several times a second for thousands of agents.
"""

from collections.abc import Mapping
from datetime import datetime

from django.db import connection

from fleets.live import publish
from fleets.live.channels import fleet_topic
from fleets.models import Fleet

# A turn that was ended meanwhile, or of which a stream has told something newer, keeps what it has.
_WRITE = """
UPDATE fleets_agent AS agent SET last_event_at = given.at
FROM unnest(%s::bigint[], %s::timestamptz[]) AS given (turn, at)
JOIN fleets_turn AS turn ON turn.id = given.turn AND turn.state = 'running'
WHERE agent.id = turn.agent_id AND (agent.last_event_at IS NULL OR agent.last_event_at < given.at)
RETURNING agent.id
"""


def write_signs(fleet: Fleet, alive: Mapping[int, datetime | None]) -> None:
    """Write when each of these turns of the fleet, by primary key, was last heard of.

    Runs in the caller's transaction, which holds the fleet's row.
    """
    heard = {turn: at for turn, at in alive.items() if at is not None}
    if not heard:
        return
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, [list(heard), list(heard.values())])
        pks = [pk for (pk,) in cursor.fetchall()]
    if pks:
        publish(fleet_topic(fleet.public_id), {"kind": "agents", "ids": pks})
