"""The saved profile catalog: revisions, conditions, and what a profile may hold."""

from typing import Any

import pytest

from tests.unit.emulator.bench import Bench, Reply
from tests.unit.emulator.requests import PROFILE

PATH = "/sandbox/v1/profiles"


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def put(
    bench: Bench, body: Any, *, match: str | None = None, none: str | None = None, name: str = "p"
) -> Reply:
    wanted = {"If-Match": match, "If-None-Match": none}
    headers = {key: value for key, value in wanted.items() if value is not None}
    return bench.call("PUT", f"{PATH}/{name}", body, headers=headers)


def test_every_put_makes_a_revision_and_old_ones_stay_readable(bench: Bench) -> None:
    first = put(bench, PROFILE, none="*")
    assert (first.status, first.json["revision"], first.headers["etag"]) == (201, 1, '"1"')
    second = put(bench, {"profile": {"name": "Two"}}, match='"1"')
    assert (second.status, second.json["revision"]) == (200, 2)
    assert bench.call("GET", f"{PATH}/p").json["profile"] == {"name": "Two"}
    assert bench.call("GET", f"{PATH}/p?revision=1").json["profile"]["name"] == "Reviewer"
    assert bench.call("GET", f"{PATH}/p?revision=3").status == 404
    listed = bench.call("GET", PATH).json
    assert (listed["total"], listed["profiles"][0]["name"]) == (1, "Two")


def test_a_late_put_is_refused_with_the_number_of_the_head(bench: Bench) -> None:
    put(bench, {}, none="*")
    put(bench, {"name": "b"}, match="1")
    late = put(bench, {"name": "c"}, match="1")
    assert (late.status, late.json["code"], late.json["currentState"]) == (
        409,
        "INVALID_STATE",
        "2",
    )
    assert put(bench, {}, none="*").json["currentState"] == "2"
    assert put(bench, {}).status == 400
    assert put(bench, {}, match="1", none="*").status == 400
    assert put(bench, {}, match="1", name="nobody").status == 404
    assert bench.call("GET", f"{PATH}/p").json["revision"] == 2


def test_a_profile_made_again_goes_on_counting(bench: Bench) -> None:
    put(bench, {}, none="*")
    stale = bench.call("DELETE", f"{PATH}/p", headers={"If-Match": "7"})
    assert (stale.status, bench.call("DELETE", f"{PATH}/p").status) == (409, 200)
    assert bench.call("GET", f"{PATH}/p").status == 404
    assert bench.call("GET", PATH).json == {"profiles": [], "total": 0}
    assert put(bench, {}, none="*").json["revision"] == 2


def test_only_the_account_key_writes_and_every_key_reads(bench: Bench) -> None:
    put(bench, {}, none="*")
    _key_id, secret = bench.mint(1)
    assert bench.call("GET", f"{PATH}/p", key=secret).status == 200
    headers = {"If-Match": "1"}
    assert bench.call("PUT", f"{PATH}/p", {}, key=secret, headers=headers).status == 403
    assert bench.call("DELETE", f"{PATH}/p", key=secret).status == 403


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ({"colour": 1}, "profile.colour"),
        ({"name": None}, "profile.name"),
        ({"harness": "claude"}, "profile.harness"),
        ({"model": {"reasoningEffort": "huge"}}, "profile.model.reasoningEffort"),
        ({"model": {"maxReasoningTokens": 9, "maxTotalOutputTokens": 8}},
         "profile.model.maxReasoningTokens"),
        ({"permissions": {"bash": {"*": {"x": "ask"}}}}, "profile.permissions.bash"),
        ({"mcp": {"a": {"command": "bash"}}}, "profile.mcp.a.command"),
        ({"mcp": {"a": {"command": "node", "cwd": "../x"}}}, "profile.mcp.a.cwd"),
        ({"mcp": {"a": {"command": "node", "url": "https://x.org"}}}, "profile.mcp.a.url"),
        ({"mcp": {"a": {"url": "https://me:pw@x.org"}}}, "profile.mcp.a.url"),
        ({"mcp": {"a": {"url": "https://x.org", "headers": {
            "x-token": {"kind": "public", "value": "v"}}}}}, "profile.mcp.a.headers.x-token"),
        ({"mcp": {"a": {"command": "node", "args": [
            {"kind": "public", "value": "sk-0123456789ab"}]}}}, "profile.mcp.a.args[0].value"),
        ({"mcp": {"a": {"enabled": True}}}, "profile.mcp.a.enabled"),
        ({"connections": [{"connectionId": "c", "capabilities": []}]},
         "profile.connections[0].capabilities"),
        ({"resources": {"files": [{"path": "a"}]}}, "profile.resources.files[0].resource"),
        ({"hooks": {"stop": [{}]}}, "profile.hooks.stop[0].command"),
        ({"extensions": {"x": None}}, "profile.extensions.x"),
    ],
)  # fmt: skip
def test_what_the_schema_forbids_is_named(bench: Bench, part: Any, place: str) -> None:
    reply = put(bench, part, none="*")
    assert reply.status == 400
    assert any(name.startswith(place) for name in reply.json["fields"]), reply.text
    assert bench.world.profiles == {}
