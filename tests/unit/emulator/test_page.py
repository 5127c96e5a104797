"""The page for people below `/_emulator/`."""

import re
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from tests.unit.emulator.bench import Bench, Reply

HOST = {"Host": "127.0.0.1:8040"}
NASTY = "<script>alert(1)</script>\"'&"


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def page(bench: Bench) -> Reply:
    return bench.call("GET", "/_emulator/", key=None, headers=HOST)


def submit(bench: Bench, name: str, **fields: str) -> Reply:
    token = re.search(r'name="token" value="([^"]+)"', page(bench).text)
    assert token is not None
    body = urlencode({"token": token[1], **fields}).encode()
    return bench.call("POST", f"/_emulator/page/{name}", body, key=None, headers=HOST)


class Tags(HTMLParser):
    """Every tag opened, with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_page_shows_what_exists_and_what_arrived(bench: Bench) -> None:
    (box,) = bench.fleet()
    bench.dispatch(box, "session-1", "Read it. [[ok]]")
    bench.finish_turns()
    html = page(bench).text
    for shown in ("fleet-a", box, "session-1", "fleets.create", "completed", "key-account"):
        assert shown in html


def test_everything_shown_is_escaped_and_nothing_runs(bench: Bench) -> None:
    bench.call("POST", "/id/v1/keys", {"name": NASTY})
    bench.call("GET", "/sandbox/v1/fleets/<b>x")
    reply = page(bench)
    assert "<script" not in reply.text
    assert "&lt;script&gt;" in reply.text
    tags = Tags(reply.text).found
    assert not {"script", "style", "b", "iframe"} & {tag for tag, _attributes in tags}
    assert not any(
        name.startswith("on") or name == "style" for _tag, attributes in tags for name in attributes
    )
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'")
    assert "unsafe" not in policy


def test_style_is_a_file_of_its_own(bench: Bench) -> None:
    reply = bench.call("GET", "/_emulator/page.css", key=None, headers=HOST)
    assert reply.headers["content-type"].startswith("text/css")


def test_forms_turn_the_clock_and_set_and_clear_faults(bench: Bench) -> None:
    before_ms = bench.clock.at_ms
    assert submit(bench, "clock", advanceS="90.5").status == 303
    assert bench.clock.at_ms == before_ms + 90_500
    fields = {"operation": "fleets.list", "kind": "error", "match": "", "count": "2"}
    assert submit(bench, "faults", **fields).status == 303
    assert [one.kind for one in bench.world.faults.active] == ["error"]
    assert bench.call("GET", "/sandbox/v1/fleets").status == 502
    assert submit(bench, "clear").status == 303
    assert bench.world.faults.active == []


def test_bad_form_is_answered_with_the_page_and_the_reason(bench: Bench) -> None:
    reply = submit(bench, "clock", advanceS="-5")
    assert reply.status == 400
    assert "role=alert" in reply.text
    assert submit(bench, "clock", speed="quick").status == 400
    assert submit(bench, "nobody").status == 404


def test_form_of_another_site_does_nothing(bench: Bench) -> None:
    before_ms = bench.clock.at_ms
    body = urlencode({"token": "guess", "advanceS": "90"}).encode()
    reply = bench.call("POST", "/_emulator/page/clock", body, key=None, headers=HOST)
    assert reply.status == 400
    assert bench.clock.at_ms == before_ms


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8040", ""])
def test_page_opens_by_a_loopback_address_only(bench: Bench, host: str) -> None:
    reply = bench.call("GET", "/_emulator/", key=None, headers={"Host": host})
    assert reply.status == 403


def test_page_is_off_without_control(bench: Bench) -> None:
    bench.app.control = None
    assert page(bench).status == 501


def test_dials_and_plan_are_turned_by_their_forms(bench: Bench) -> None:
    assert submit(bench, "plan", plan="free").status == 303
    assert bench.world.dials.rate_per_minute == 60
    fields = {"failure_share": "0.25", "failing_harnesses": '{"codex": 1}', "quota_status": "403"}
    assert submit(bench, "dials", **fields).status == 303
    dials = bench.world.dials
    assert (dials.failure_share, dials.failing_harnesses) == (0.25, {"codex": 1.0})
    assert dials.quota_status == 403
    refused = submit(bench, "dials", failure_share="0.5", quota_status="500")
    assert (refused.status, "quota_status must be 403 or 429" in refused.text) == (400, True)
    assert dials.failure_share == 0.25


def test_every_dial_has_a_field_with_its_value(bench: Bench) -> None:
    html = page(bench).text
    for name in vars(bench.world.dials):
        assert f'name="{name}"' in html


def test_page_and_journal_show_what_is_kept_and_no_secret(bench: Bench) -> None:
    bench.call("POST", "/sandbox/v1/secrets", {"name": "TOKEN", "value": 'hid"den'})
    put = {"If-None-Match": "*"}
    bench.call("PUT", "/sandbox/v1/profiles/reviewer", {"name": "R"}, headers=put)
    git = {"url": "https://example.org/r", "auth": {"token": "hidden-too"}}
    bench.call("POST", "/sandbox/v1/sandboxes", {"git": git})
    html = page(bench).text
    assert "TOKEN" in html
    assert "reviewer" in html
    shown = html + bench.call("GET", "/_emulator/journal", key=None).text
    assert not {"den", "hidden-too"} & set(re.findall(r"[\w-]+", shown))


def test_start_over_forgets_everything(bench: Bench) -> None:
    bench.fleet()
    assert submit(bench, "reset").status == 303
    assert bench.world.fleets == {}
