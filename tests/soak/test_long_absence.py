"""Postgres is away for long: once it is back everybody talks to it again at once."""

import time

import httpx

from tests.integration.chaos.house import House
from tests.integration.chaos.waiting import eventually

# A pool left to itself would by then try again after half a minute only.
AWAY_S = 40.0
SOON_S = 12.0


def test_everybody_talks_to_postgres_again_soon_after_a_long_absence(house: House) -> None:
    house.due_back["postgres"] = time.monotonic() + AWAY_S
    house.servers.postgres.kill()

    def answers() -> bool:
        try:
            return httpx.get(
                f"{house.person.base_url}/healthz/ready", timeout=20, verify=False
            ).is_success
        except httpx.HTTPError:
            return False

    assert not answers()
    # Somebody asks all the time, as people and balancers do.
    while time.monotonic() < house.due_back["postgres"]:
        answers()
    house.wait_until_up("postgres")
    back = time.monotonic()
    eventually(answers, "the site does not come back", meanwhile=house.keep_up)
    fleet = house.launch(name="after-absence", idempotency_key="after-absence")
    eventually(lambda: bool(_begun(house)), "no worker comes back", meanwhile=house.keep_up)

    assert time.monotonic() - back < SOON_S
    assert house.died_alone == {}
    house.wait_for_end_of_work(fleet)
    assert fleet.state == "finished"


def _begun(house: House) -> list[object]:
    found: list[object] = house.control("GET", "journal?operation=fleets.create")["entries"]
    return found
