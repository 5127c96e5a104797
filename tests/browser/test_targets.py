"""What is pressed can be hit: 24 by 24 px at least, on a phone and on a desktop."""

import pytest

from tests.browser import looking
from tests.browser.conftest import OpenPage
from tests.browser.world import make_world
from tests.integration.cast import Cast
from tests.support.site import Site

PAGES = (
    ("fleet_list", ""),
    ("fleet_stop", ""),
    ("fleet_detail", ""),
    ("fleet_detail", "?tab=results"),
    ("fleet_detail", "?tab=machines"),
)


@pytest.mark.parametrize("size_px", [(320, 720), (1440, 900)], ids=["phone", "desktop"])
def test_what_is_pressed_can_be_hit(
    size_px: tuple[int, int], app: Site, cast: Cast, open_page: OpenPage
) -> None:
    page = open_page("operator", size_px=size_px)
    world = make_world(cast.team, cast.operator)
    wrong = []
    for name, query in PAGES:
        args = () if name == "fleet_list" else (world.fleet.public_id,)
        page.goto(app.address(f"fleets:{name}", *args, query=query))
        wrong += [f"{name}{query}: {one}" for one in looking.small(page)]
    assert wrong == [], "\nX ".join(wrong)
