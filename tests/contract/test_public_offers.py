"""What anybody may read without a key: plans, templates, the price of egress (contract 1.1, 5)."""

import asyncio

import httpx
import pytest

from tests.contract.platform import Platform
from tests.contract.raw import Base, ask_without_key


def get(platform: Platform, path: str, *, base: Base = "sandbox", **headers: str) -> httpx.Response:
    return asyncio.run(ask_without_key(platform, "GET", path, base=base, headers=headers))


@pytest.mark.from_source
@pytest.mark.covers("billing.plans")
def test_plans_have_a_price_and_credit_and_an_etag(platform: Platform) -> None:
    """Contract 5: public, with `ETag`."""
    reply = get(platform, "/api/v1/plans", base="id")
    assert reply.status_code == 200
    body = reply.json()
    rows = body["data"] if isinstance(body, dict) else body
    assert all(row["monthlyPriceCents"] >= 0 for row in rows)
    assert all(row["creditsPerMonth"] >= 0 and row["features"] is not None for row in rows)
    known = {"If-None-Match": reply.headers["etag"]}
    assert get(platform, "/api/v1/plans", base="id", **known).status_code == 304


@pytest.mark.from_source
@pytest.mark.covers("catalog.templates", "catalog.featured")
def test_public_templates_need_no_key(platform: Platform) -> None:
    """Contract 1.1."""
    for path in ("/v1/public-templates", "/v1/public-templates/featured"):
        reply = get(platform, path)
        assert reply.status_code == 200
        assert reply.json()


@pytest.mark.from_source
@pytest.mark.covers("catalog.egress")
def test_the_price_of_egress_is_public(platform: Platform) -> None:
    """Contract 9: outbound, by the calendar month, a gigabyte is 10^9 bytes."""
    body = get(platform, "/v1/pricing/egress").json()
    assert (body["period"], body["metered"]) == ("calendar-month", "outbound")
    assert body["bytesPerGb"] == 1_000_000_000
