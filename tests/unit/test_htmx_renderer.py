"""The one renderer: the view names the fragments, the browser never chooses."""

from typing import Any

import pytest
from django.http import HttpRequest
from django.test import RequestFactory

from fleetdash import htmx

HTMX = {"HX-Request": "true", "HX-Target": "tbody#machine-rows"}


def request(**headers: str) -> HttpRequest:
    return RequestFactory().get("/fleets", headers=headers)


def asked(headers: dict[str, str]) -> HttpRequest:
    return RequestFactory().get("/fleets", headers=headers)


def test_a_plain_request_gets_the_page() -> None:
    assert htmx.fragment_for(request(), {"machine-rows"}) is None


def test_an_allowed_target_gets_its_fragment() -> None:
    assert htmx.fragment_for(asked(HTMX), {"machine-rows"}) == "machine-rows"


def test_a_target_outside_the_list_gets_the_page() -> None:
    assert htmx.fragment_for(asked(HTMX), {"agent-rows"}) is None


@pytest.mark.parametrize("header", ["HX-Boosted", "HX-History-Restore-Request"])
def test_boosted_requests_and_restored_history_get_the_page(header: str) -> None:
    assert htmx.fragment_for(asked({**HTMX, header: "true"}), {"machine-rows"}) is None


def test_a_target_may_be_another_name_for_a_partial() -> None:
    headers = {**HTMX, "HX-Target": "dialog#dialog"}
    assert htmx.fragment_for(asked(headers), {"dialog": "stop-sheet"}) == "stop-sheet"


def test_an_encoded_target_is_read() -> None:
    assert htmx.target_id(asked({"HX-Target": "tr#row-%C3%A4"})) == "row-ä"


def rendered(headers: dict[str, str], **extra: Any) -> Any:
    return htmx.render(
        asked(headers),
        "includes/_live.html",
        {"live": {"url": "/x"}},
        fragments={"live": "includes/_live.html"},
        **extra,
    )


def test_no_answer_is_cached_and_page_and_fragment_are_told_apart() -> None:
    response = rendered({})
    assert "no-store" in response["Cache-Control"]
    assert {"HX-Request", "HX-Target"} <= {part.strip() for part in response["Vary"].split(",")}


def test_a_repeated_poll_without_news_is_not_modified() -> None:
    headers = {"HX-Request": "true", "HX-Target": "div#live"}
    first = rendered(headers)
    again = rendered({**headers, "HX-PTag": first["HX-PTag"]})
    assert first.status_code == 200
    assert again.status_code == 304
    assert again.content == b""


def test_a_redirect_is_a_header_under_htmx_and_a_see_other_without() -> None:
    under = htmx.redirect(asked({"HX-Request": "true"}), "/operations/op-1")
    plain = htmx.redirect(request(), "/operations/op-1")
    assert under["HX-Redirect"] == "/operations/op-1"
    assert "Location" not in under
    assert (plain.status_code, plain["Location"]) == (303, "/operations/op-1")


def test_a_live_page_renews_its_stream_without_naming_it() -> None:
    headers = {"HX-Request": "true", "HX-Target": "div#live"}
    response = htmx.render(asked(headers), "404.html", {"live": {"url": "/live/stream?since=e"}})
    assert response.content.startswith(b'<div id="live"')
