"""The site, Chromium, and windows signed in as anybody of the cast.

`NO_BROWSER=1` leaves these tests out, and says so. Without it a missing Chromium is a failure.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import pytest_django
from django.db import connections
from playwright.sync_api import Browser, Page, expect

from tests.integration.cast import Cast
from tests.support import sessions
from tests.support.browsing import PATIENCE_MS, Visit, chromium_running, visiting
from tests.support.site import Site

# `open_page("operator", size_px=(390, 844), color_scheme="dark", has_scripts=False)`
OpenPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("NO_BROWSER") != "1":
        return
    left_out = pytest.mark.skip(reason="NO_BROWSER=1 is set: the browser tests are left out")
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker(left_out)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests; each test has windows of its own."""
    # Playwright's loop runs in the test's thread. Django then sees an event loop, and keeps other
    # connections for it than before: what is open on either side would be lost from sight.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        connections.close_all()
        expect.set_options(timeout=PATIENCE_MS)
        with chromium_running() as running:
            yield running
            connections.close_all()


@pytest.fixture(scope="session")
def all_connections_closed(
    django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker
) -> Iterator[None]:
    """The test database cannot be dropped while a request that nobody waits for still asks it."""
    yield
    with django_db_blocker.unblock():
        sessions.wait_until_alone()


@pytest.fixture
def app(
    browser: Browser, all_connections_closed: None, transactional_db: None, redis_client: object
) -> Iterator[Site]:
    """The real ASGI application on a free port, on this test's database and Redis."""
    with Site() as site:
        yield site


@pytest.fixture
def cast(app: Site) -> Cast:
    """One person of each role."""
    return Cast.gather()


@pytest.fixture
def open_page(app: Site, browser: Browser, cast: Cast) -> Iterator[OpenPage]:
    """Opens a window signed in as `admin`, `operator`, `viewer`, `stranger` or `nobody`.

    At the end of the test no window may have complained: not of a script, not of the policy.
    """
    visits: list[Visit] = []
    with ExitStack() as windows:

        def opened(who: str = "operator", **options: Any) -> Page:
            person = cast.person(who)
            visit = windows.enter_context(visiting(browser, app.url, person, **options))
            visits.append(visit)
            return visit.page

        yield opened
    assert [fault for visit in visits for fault in visit.faults] == []


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """A window on a desktop, signed in as the operator."""
    return open_page("operator")
