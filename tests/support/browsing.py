"""Chromium for tests and pictures: started by its path, and a page signed in as somebody.

Whatever a page complains about (a script error, a content policy violation, a lost file) is kept,
and `Visit.faults` is empty on a page that works.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from django.conf import settings
from django.http import HttpRequest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from fleets.models import User
from tests.support import chromium

DESKTOP_PX = (1440, 900)
# Of every wait and expectation: a slow machine with other things to do.
PATIENCE_MS = 60_000
# Chromium reports every refused page this way; tests look at statuses themselves.
_STATUS_ONLY = "Failed to load resource: the server responded with a status of 4"


@contextmanager
def chromium_running() -> Iterator[Browser]:
    """A headless Chromium. Raises `chromium.NoChromiumError` where there is none."""
    program = chromium.require()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(program), headless=True, args=list(chromium.FLAGS)
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A window and what went wrong in it, from its opening on."""

    page: Page
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._hear_console)
        self.page.on("pageerror", self._hear_error)

    def _hear_console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_STATUS_ONLY):
            self.faults.append(f"console: {message.text}")

    def _hear_error(self, error: Exception) -> None:
        self.faults.append(f"script: {error}")


@contextmanager
def visiting(browser: Browser, site_url: str, user: User | None, **options: Any) -> Iterator[Visit]:
    """A window of a browser of its own; the options are those of `browsing_as`."""
    with browsing_as(browser, site_url, user, **options) as context:
        yield Visit(context.new_page())


@contextmanager
def browsing_as(
    browser: Browser,
    site_url: str,
    user: User | None,
    *,
    size_px: tuple[int, int] = DESKTOP_PX,
    color_scheme: str = "light",
    has_scripts: bool = True,
) -> Iterator[BrowserContext]:
    """A browser signed in as `user` (None: as nobody), with no window yet."""
    options: dict[str, Any] = {"color_scheme": color_scheme, "java_script_enabled": has_scripts}
    context = browser.new_context(
        viewport={"width": size_px[0], "height": size_px[1]},
        reduced_motion="reduce",
        base_url=site_url,
        **options,
    )
    context.set_default_timeout(PATIENCE_MS)
    if user is not None:
        name, key = session_of(user)
        context.add_cookies([{"name": name, "value": key, "url": site_url}])
    try:
        yield context
    finally:
        context.close()


def session_of(user: User) -> tuple[str, str]:
    """Name and value of the cookie of a session in which `user` has just given the password."""
    client = Client()
    client.force_login(user, settings.AUTHENTICATION_BACKENDS[0])
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, "password")
    request.session.save()
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    return settings.SESSION_COOKIE_NAME, str(cookie.value)
