"""What an account, a key and the router allow: plans, quotas, rpmLimit, models."""

from typing import Any

import pytest

from emulator.offers import PLANS
from tests.unit.emulator.bench import ACCOUNT, Bench, Reply


@pytest.fixture
def bench() -> Bench:
    return Bench(failure_share=0.0)


def dial(bench: Bench, **dials: Any) -> Reply:
    return bench.call("POST", "/_emulator/dials", dials, key=None)


def chat(bench: Bench, *, key: str = ACCOUNT, model: str = "gpt-4.1-mini", **more: Any) -> Reply:
    body = {"model": model, "messages": [{"role": "user", "content": "x" * 400}], **more}
    return bench.call("POST", "/router/v1/chat/completions", body, key=key)


@pytest.mark.parametrize("plan", PLANS.values(), ids=lambda plan: plan.name)
def test_plan_decides_the_rate(plan: Any) -> None:
    bench = Bench(plan=plan.name)
    for _request in range(plan.rate_per_minute):
        assert bench.call("GET", "/sandbox/v1/shapes").status == 200
    refused = bench.call("GET", "/sandbox/v1/shapes")
    assert (refused.status, refused.json["limit"]) == (429, plan.rate_per_minute)
    assert refused.headers["retry-after"] == "60"
    bench.run_for(60)
    assert bench.call("GET", "/sandbox/v1/shapes").status == 200


def test_plan_says_what_it_allows(bench: Bench) -> None:
    assert dial(bench, plan="free").status == 200
    data = bench.call("GET", "/sandbox/v1/usage/subscription").json["data"]
    found = (data["plan"], data["maxConcurrentSandboxes"], data["creditsAvailableUsd"])
    assert found == ("free", 1, 2)
    assert dial(bench, plan="gold").status == 400
    assert dial(bench, plan="pro", rate_per_minute=7).status == 200
    assert bench.world.dials.rate_per_minute == 7


@pytest.mark.parametrize("status", [403, 429])
def test_sandboxes_above_the_ceiling_are_refused_with_the_figures(
    bench: Bench, status: int
) -> None:
    dial(bench, max_concurrent_sandboxes=2, quota_status=status)
    (box,) = bench.fleet()
    two = {"machines": [{"machineId": "a"}, {"machineId": "b"}]}
    refused = bench.call("POST", "/sandbox/v1/fleets", two)
    assert refused.status == status
    found = [refused.json[name] for name in ("code", "quotaType", "current", "limit")]
    assert found == ["QUOTA_EXCEEDED", "concurrent_sandboxes", 1, 2]
    assert len(bench.world.machines) == len(bench.world.fleets) == 1
    assert bench.call("POST", "/sandbox/v1/sandboxes", {"name": "one"}).status == 201
    assert bench.call("POST", "/sandbox/v1/sandboxes", {"name": "two"}).status == status
    bench.call("POST", f"/sandbox/v1/sandboxes/{box}/stop")
    assert bench.call("POST", "/sandbox/v1/sandboxes", {"name": "two"}).status == 201
    assert bench.call("POST", f"/sandbox/v1/sandboxes/{box}/resume").status == status


def test_turns_of_a_key_wait_for_its_rpm_limit_and_fail_nothing(bench: Bench) -> None:
    body = {"name": "k", "budgetUsd": 5, "rpmLimit": 2}
    key = bench.call("POST", "/id/v1/keys", body).json["data"]["key"]
    (box,) = bench.fleet(key=key)
    bench.dispatch(box, "s", "Read it. [[ok]] [[calls 5]]", key=key)
    bench.finish_turns()
    execution = bench.execution("s")
    assert execution.status == "completed"
    held = [row.at_ms for row in bench.world.ledger.entries if row.kind == "hold"]
    assert len(held) == 5
    assert all(later - first >= 60_000 for first, later in zip(held, held[2:], strict=False))
    warnings = [data for name, data in bench.frames(box, "s") if name == "warning"]
    assert "RATE_LIMITED" in {one["code"] for one in warnings}


def test_children_share_the_rpm_limit_of_their_parent(bench: Bench) -> None:
    body = {"name": "k", "budgetUsd": 5, "rpmLimit": 2}
    parent = bench.call("POST", "/id/v1/keys", body).json["data"]["key"]
    child = {"name": "c", "budgetUsd": 1}
    keys = [bench.call("POST", "/id/v1/keys", child, key=parent).json["data"] for _ in range(2)]
    for key in keys:
        assert chat(bench, key=key["key"], max_tokens=5).status == 200
    refused = chat(bench, key=parent, max_tokens=5)
    assert (refused.status, int(refused.headers["retry-after"]) > 50) == (429, True)
    bench.run_for(61)
    assert chat(bench, key=parent, max_tokens=5).status == 200


def test_router_holds_charges_and_tells_its_prices(bench: Bench) -> None:
    key_id, secret = bench.mint(0.01)
    reply = chat(bench, key=secret, max_tokens=50)
    usage = reply.json["usage"]
    cost = usage["prompt_tokens"] * 400 + usage["completion_tokens"] * 1_600
    assert (usage["prompt_tokens"], usage["completion_tokens"] <= 50) == (100, True)
    assert bench.world.ledger.keys[key_id].spent_nusd == cost
    assert reply.headers["x-tangle-price-input"] == "0.4"
    assert reply.headers["x-generation-id"] == reply.json["id"]
    assert "x-tangle-served-model" not in reply.headers
    assert reply.headers["x-ratelimit-limit"] == "1000"
    refused = chat(bench, key=secret)
    assert (refused.status, refused.json["error"]["type"]) == (402, "insufficient_funds")
    assert int(refused.headers["x-payment-required"]) > 50_000
    assert bench.world.ledger.keys[key_id].held_nusd == 0


def test_router_serves_another_model_or_none(bench: Bench) -> None:
    assert chat(bench, model="nobody/none").status == 503
    dial(bench, served_models={"openai/gpt-5.5": "openai/gpt-4.1"})
    reply = chat(bench, model="gpt-5.5", max_tokens=5)
    assert reply.json["model"] == "openai/gpt-4.1"
    assert reply.headers["x-tangle-served-model"] == "openai/gpt-4.1"
    (box,) = bench.fleet()
    bench.dispatch(box, "s", "Read it. [[ok]]", model="openai/gpt-5.5")
    bench.finish_turns()
    frames = dict(bench.frames(box, "s"))
    assert frames["execution.started"]["effectiveBackend"]["model"] == "openai/gpt-4.1"
    dial(bench, served_models={}, unservable_models={"gpt-4.1-mini": 1})
    assert chat(bench).status == 503
    bench.dispatch(box, "t", "Read it. [[ok]]")
    bench.finish_turns()
    assert bench.execution("t").error_code == "provider_inference_unavailable"


def test_key_of_one_model_keeps_to_it_whatever_is_served(bench: Bench) -> None:
    body = {"name": "k", "budgetUsd": 5, "allowedModels": ["openai/gpt-5.5"]}
    key = bench.call("POST", "/id/v1/keys", body).json["data"]["key"]
    dial(bench, served_models={"openai/gpt-5.5": "openai/gpt-4.1"})
    assert chat(bench, key=key, model="openai/gpt-5.5", max_tokens=5).status == 200
    assert chat(bench, key=key, model="openai/gpt-4.1", max_tokens=5).status == 403


def test_provider_locks_are_kept_only_when_dialled(bench: Bench) -> None:
    (box,) = bench.fleet()
    backend = {"type": "claude-code", "model": {"model": "gpt-4.1-mini"}}
    for session, locks, outcome in (("a", 0, None), ("b", 1, "HARNESS_MODEL_MISMATCH")):
        dial(bench, provider_locks=locks)
        bench.dispatch(box, session, backend=backend)
        bench.finish_turns()
        assert bench.execution(session).error_code == outcome
    assert bench.execution("b").cost_nusd == 0


def test_what_anybody_may_read_needs_no_key(bench: Bench) -> None:
    for path in ("/sandbox/v1/public-templates", "/sandbox/v1/public-templates/featured"):
        assert bench.call("GET", path, key=None).json["templates"]
    egress = bench.call("GET", "/sandbox/v1/pricing/egress", key=None).json
    assert (egress["period"], egress["bytesPerGb"]) == ("calendar-month", 10**9)
    plans = bench.call("GET", "/id/api/v1/plans", key=None)
    assert [row["monthlyPriceCents"] for row in plans.json["data"]] == [0, 2_900, 9_900]
    known = {"If-None-Match": plans.headers["etag"]}
    again = bench.call("GET", "/id/api/v1/plans", key=None, headers=known)
    assert (again.status, again.text) == (304, "")
