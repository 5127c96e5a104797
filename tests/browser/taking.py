"""Takes the pictures: an emulator, the data set and the site, then every page in every look."""

import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from django.core.management import call_command
from django.template.loader import render_to_string
from django.utils import timezone
from playwright.sync_api import Browser, Error, Page, Route
from playwright.sync_api import TimeoutError as TooLateError

from emulator.config import Config
from emulator.server import EmulatorThread
from fleets.models import Fleet, User
from fleets.services import demo
from fleets.services.event_store import ensure_partitions
from fleets.services.setup import ensure_first_admin
from tests.browser.pictures import BROKEN, PICTURES, Picture
from tests.integration.cast import NOBODY
from tests.support import chromium
from tests.support.browsing import chromium_running, visiting
from tests.support.driver import connect
from tests.support.site import Site

SETTLE_MS: Final = 300
LIVE_MS: Final = 2_500
TALLEST_PX: Final = 3_000


@dataclass(frozen=True, slots=True)
class Look:
    """One way of looking at a page."""

    name: str
    size_px: tuple[int, int]
    color_scheme: str


LOOKS: Final = (
    Look("light", (1440, 900), "light"),
    Look("dark", (1440, 900), "dark"),
    Look("narrow", (390, 844), "light"),
)


def take(out: Path, *, only: str = "") -> int:
    """Take the pictures with `only` in their name (all without) into `out`; the exit code."""
    wanted = [picture for picture in PICTURES if only in picture.name]
    if not only:
        shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    try:
        with _house() as site, chromium_running() as browser:
            failed = _take_all(browser, site, wanted, out=out)
    except chromium.NoChromiumError as reason:
        sys.stderr.write(f"{reason}\n")
        return 1
    write_index(out, wanted)
    took_s = time.monotonic() - started
    count = len(wanted) * len(LOOKS) - len(failed)
    print(f"{count} pictures in {took_s:.0f} s: {out / 'index.html'}")
    for line in failed:
        print(f"not taken: {line}")
    return 1 if failed else 0


def _take_all(browser: Browser, site: Site, wanted: Iterable[Picture], *, out: Path) -> list[str]:
    """Take the pictures, those of an empty house first; what could not be taken."""
    early = [picture for picture in wanted if picture.is_before_data]
    late = [picture for picture in wanted if not picture.is_before_data]
    failed = _take(browser, site, early, out=out)
    if late:
        demo.fill()
        _lose_the_platform()
        failed += _take(browser, site, late, out=out)
    return failed


def _take(browser: Browser, site: Site, wanted: list[Picture], *, out: Path) -> list[str]:
    failed = []
    for look in LOOKS:
        with ExitStack() as windows:
            pages: dict[str, Page] = {}
            for picture in wanted:
                if picture.who not in pages:
                    pages[picture.who] = windows.enter_context(
                        _window(browser, site, picture.who, look)
                    )
                try:
                    _shoot(pages[picture.who], picture, look, out / file_of(picture, look))
                except Error as error:
                    failed.append(f"{picture.name}, {look.name}: {str(error).splitlines()[0]}")
    return failed


@contextmanager
def _window(browser: Browser, site: Site, who: str, look: Look) -> Iterator[Page]:
    user = None if who == NOBODY else User.objects.get(username=who)
    with visiting(
        browser, site.url, user, size_px=look.size_px, color_scheme=look.color_scheme
    ) as visit:
        visit.page.route(f"**{BROKEN}", _break)
        yield visit.page


def _break(route: Route) -> None:
    body = render_to_string("500.html", {"request_id": "5f1c09ab72de"})
    route.fulfill(status=500, content_type="text/html", body=body)


def _shoot(page: Page, picture: Picture, look: Look, path: Path) -> None:
    page.set_viewport_size({"width": look.size_px[0], "height": look.size_px[1]})
    page.goto(picture.path(), wait_until="load")
    if picture.act is not None:
        picture.act(page)
    _wait_until_live(page)
    # The main part scrolls by itself: the window is made as high as what is in it.
    height = min(TALLEST_PX, max(look.size_px[1], int(page.evaluate(_HEIGHT))))
    page.set_viewport_size({"width": look.size_px[0], "height": height})
    page.wait_for_timeout(SETTLE_MS)
    page.screenshot(path=path, animations="disabled")


def _wait_until_live(page: Page) -> None:
    if page.locator("#live-status").count() == 0:
        return
    with suppress(TooLateError):
        page.wait_for_selector("#live-status[data-state=healthy]", timeout=LIVE_MS)


_HEIGHT: Final = """() => {
  const main = document.querySelector("main");
  const above = main ? main.getBoundingClientRect().top : 0;
  return Math.max(document.documentElement.scrollHeight, main ? above + main.scrollHeight : 0);
}"""


@contextmanager
def _house() -> Iterator[Site]:
    call_command("migrate", verbosity=0)
    ensure_partitions(timezone.now().date())
    ensure_first_admin("only-for-pictures")
    with EmulatorThread(Config(control=True)) as emulator, Site() as site:
        connect(emulator, rate_per_minute=300)
        yield site


def _lose_the_platform() -> None:
    """One fleet whose platform has not answered for some minutes."""
    Fleet.objects.filter(name="upgrade-dependencies").update(
        platform_seen_at=timezone.now() - timedelta(minutes=4),
        last_error="no answer from the platform: connection refused",
    )


def file_of(picture: Picture, look: Look) -> str:
    """The name of a picture's file."""
    return f"{re.sub(r'[^a-z0-9]+', '-', picture.name.lower()).strip('-')}.{look.name}.png"


def write_index(out: Path, wanted: Iterable[Picture]) -> None:
    """A page with all pictures, one row a page."""
    rows = "\n".join(
        f"<h2>{picture.name}</h2><p><code>{picture.url_name}</code> as {picture.who}</p><div>"
        + "".join(
            f'<a href="{name}"><img src="{name}" alt="{picture.name}, {look.name}" loading="lazy">'
            "</a>"
            for look in LOOKS
            for name in [file_of(picture, look)]
        )
        + "</div>"
        for picture in wanted
    )
    style = "body{font:14px system-ui;margin:24px}div{display:flex;gap:12px;align-items:start}"
    style += "img{height:320px;border:1px solid #8888}"
    title = "Fleetdash: every page"
    (out / "index.html").write_text(
        f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{style}</style>"
        f"<h1>{title}</h1>{rows}"
    )
