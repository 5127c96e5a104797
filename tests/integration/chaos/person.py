"""Somebody at a browser, who presses a button again when the site went away under it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import httpx
from django.conf import settings

from tests.factories import PASSWORD
from tests.integration.chaos.waiting import eventually

LAUNCH_FORM: Final = {
    "name": "chaos",
    "team": "main",
    "count": "5",
    "prompt": "[[ok]] [[slow 1]] Review part {index}.",
    "harness": "opencode",
    "model": "gpt-4.1-mini",
    "size": "small",
    "budget": "1.00",
    "at_once": "3",
    "after": "keep",
    "after_delay": "30 min",
    "lifetime": "1 h",
    "task_timeout": "10 min",
    "tags": "",
    "idempotency_key": "chaos-form",
}
_LOGIN = "/accounts/login/"
_TOKEN = "csrftoken"


@dataclass
class Person:
    """One user of the site at `base_url`."""

    base_url: str
    username: str
    meanwhile: Callable[[], None]
    cookies: dict[str, str] = field(default_factory=dict)

    def _browser(self, cookies: dict[str, str]) -> httpx.Client:
        # Without certificates, whose reading takes longer than the asking.
        return httpx.Client(base_url=self.base_url, cookies=cookies, timeout=30, verify=False)

    def sign_in(self) -> None:
        """Through the form: whoever has just given the password may delete."""
        with self._browser({}) as browser:
            browser.get(_LOGIN).raise_for_status()
            form = {"login": self.username, "password": PASSWORD}
            token = {"X-CSRFToken": browser.cookies[_TOKEN]}
            answer = browser.post(_LOGIN, data=form, headers=token)
            assert answer.status_code == 302, answer.text
            name = settings.SESSION_COOKIE_NAME
            self.cookies = {name: browser.cookies[name]}
        with self._browser(self.cookies) as browser:
            browser.get("/fleets/new").raise_for_status()
            self.cookies[_TOKEN] = browser.cookies[_TOKEN]

    def press(self, path: str, form: dict[str, str]) -> None:
        """Post a form once. Raises httpx.HTTPError when the site is away or broken meanwhile."""
        with self._browser(self.cookies) as browser:
            token = {"X-CSRFToken": self.cookies[_TOKEN]}
            answer = browser.post(path, data=form, headers=token)
        if answer.is_server_error:
            answer.raise_for_status()
        assert answer.status_code == 303, (answer.status_code, answer.headers, answer.text)

    def press_until_answered(self, path: str, form: dict[str, str]) -> None:
        """Press the same button again until the site answers, as a person would."""

        def answered() -> bool:
            try:
                self.press(path, form)
            except httpx.HTTPError:
                return False
            return True

        eventually(answered, f"no answer to {path}", meanwhile=self.meanwhile)
