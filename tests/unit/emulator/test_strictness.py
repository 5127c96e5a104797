import pytest

from tests.unit.emulator.bench import Bench, turn_body


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_unknown_route_is_501_with_a_warning(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    assert bench.call("GET", "/sandbox/v1/instances").status == 501
    assert "NOT EMULATED: GET /sandbox/v1/instances" in caplog.text


@pytest.mark.parametrize(
    "path", ["/id/v1/fleets", "/sandbox/v1/keys", "/router/v1/keys", "/v1/keys"]
)
def test_right_path_below_the_wrong_base_is_501(bench: Bench, path: str) -> None:
    assert bench.call("GET", path).status == 501


@pytest.mark.parametrize("key", [None, "sk-tan-nobody", ""])
def test_bad_key_is_401(bench: Bench, key: str | None) -> None:
    reply = bench.call("GET", "/sandbox/v1/fleets", key=key)
    assert (reply.status, reply.json["code"]) == (401, "UNAUTHORIZED")


def test_health_needs_no_key(bench: Bench) -> None:
    assert bench.call("GET", "/health", key=None).status == 200


def test_control_is_off_unless_asked_for(bench: Bench) -> None:
    assert bench.call("GET", "/_emulator/left", key=None).status == 200
    bench.app.control = None
    assert bench.call("GET", "/_emulator/left", key=None).status == 501


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/id/v1/keys", {"name": "k", "colour": "red"}),
        ("POST", "/id/v1/keys", {"budgetUsd": 1}),
        ("POST", "/id/v1/keys", {"name": "k", "budgetUsd": "1"}),
        ("POST", "/id/v1/keys", {"name": "k", "budgetUsd": True}),
        ("POST", "/id/v1/keys", {"name": "k", "budgetUsd": -1}),
        ("POST", "/id/v1/keys", {"name": "k", "budgetUsd": 0.0000000001}),
        ("POST", "/id/v1/keys", {"name": "k", "expiresAt": "2020-01-01T00:00:00Z"}),
        ("POST", "/id/v1/keys", {"name": "k", "product": "tea"}),
        ("POST", "/id/v1/keys", b"{"),
        ("POST", "/id/v1/keys", b"[]"),
        ("POST", "/id/v1/keys", b"[" * 200_000),
        ("POST", "/id/v1/keys", b'{"name":"\\ud800"}'),
        ("POST", "/id/v1/keys", b'{"name":"k","\\udfff":1}'),
        ("POST", "/id/v1/keys", b'{"name":"k","budgetUsd":NaN}'),
        ("GET", "/id/v1/keys?children=maybe", None),
        ("GET", "/id/v1/keys?colour=red", None),
        ("POST", "/sandbox/v1/fleets", {}),
        ("POST", "/sandbox/v1/fleets", {"machines": [{}]}),
        ("POST", "/sandbox/v1/fleets", {"machines": [{"machineId": "m", "colour": 1}]}),
        ("POST", "/sandbox/v1/fleets", {"machines": [{"machineId": "m"}] * 2}),
        ("POST", "/sandbox/v1/fleets", {"machines": [{"machineId": "m"}], "budgetUsd": 1}),
        ("POST", "/sandbox/v1/fleets", {"machines": [{"machineId": "m"}], "agents": 3}),
        ("GET", "/sandbox/v1/fleets?limit=many", None),
        ("GET", "/sandbox/v1/sandboxes?status=tired", None),
    ],
)
def test_bad_request_is_400(bench: Bench, method: str, path: str, body: object) -> None:
    reply = bench.call(method, path, body)
    assert (reply.status, reply.json["code"]) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    "change",
    [
        {"turnId": None},
        {"message": "old"},
        {"backend": {"type": "abacus"}},
        {"backend": {"model": {"size": 1}}},
        {"backend": {"profile": {"colour": 1}}},
        {"parts": []},
        {"sessionId": "a/b"},
        {"timeoutMs": 0},
    ],
)
def test_bad_turn_is_400(bench: Bench, change: dict[str, object]) -> None:
    (box,) = bench.fleet()
    path = f"/sandbox/v1/sandboxes/{box}/runtime/agents/run/stream"
    assert bench.call("POST", path, turn_body("s", "x") | change).status == 400
    assert bench.world.executions == {}


def test_key_sees_only_itself_and_what_is_below(bench: Bench) -> None:
    key_id, secret = bench.mint(1)
    other_id, _other = bench.mint(1)
    child_id, _child = bench.mint(0.5, key=secret)
    assert bench.call("GET", f"/id/v1/keys/{key_id}", key=secret).status == 200
    assert bench.call("GET", f"/id/v1/keys/{child_id}", key=secret).status == 200
    assert bench.call("GET", f"/id/v1/keys/{other_id}", key=secret).status == 404
    assert bench.call("GET", "/id/v1/billing/balance", key=secret).status == 403
    rows = bench.call("GET", "/id/v1/keys?children=true").json["data"]
    assert {row["id"] for row in rows} == {key_id, other_id, child_id}


def test_money_is_written_exactly(bench: Bench) -> None:
    body = {"name": "k", "budgetUsd": 0.1}
    assert '"budgetUsd":0.1,' in bench.call("POST", "/id/v1/keys", body).text
    exact = b'{"name":"k","budgetUsd":0.123456789}'
    assert '"budgetRemaining":0.123456789}' in bench.call("POST", "/id/v1/keys", exact).text


def test_journal_holds_no_key(bench: Bench) -> None:
    _key_id, secret = bench.mint(1)
    bench.call("GET", f"/sandbox/v1/fleets/{secret}", key=secret)
    bench.call("POST", "/id/v1/keys", {"name": secret}, key=secret)
    assert secret not in bench.call("GET", "/_emulator/journal", key=None).text
    assert secret not in bench.call("GET", "/_emulator/state", key=None).text


def test_rate_limit_slides_over_sixty_seconds() -> None:
    bench = Bench(rate_per_minute=3)
    for _ in range(3):
        assert bench.call("GET", "/sandbox/v1/fleets").status == 200
        bench.run_for(10)
    reply = bench.call("GET", "/sandbox/v1/fleets")
    assert reply.status == 429
    assert (reply.json["code"], reply.json["quotaType"]) == (
        "QUOTA_EXCEEDED",
        "requests_per_minute",
    )
    assert (reply.json["limit"], reply.json["retryAfter"]) == (3, 30)
    assert reply.headers["retry-after"] == "30"
    bench.run_for(30)
    assert bench.call("GET", "/sandbox/v1/fleets").status == 200
    assert bench.call("GET", "/sandbox/v1/fleets").status == 429
