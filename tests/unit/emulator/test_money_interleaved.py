"""Keys, calls, machines, cuts, rotations and deletions through the routes, in any order."""

from collections import Counter, defaultdict
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from emulator.entities import Key
from tests.unit.emulator.bench import ACCOUNT, Bench

KINDS = (
    "mint", "mint", "call", "call", "call", "settle", "machine", "unmachine", "patch", "revoke",
    "rotate", "pass",
)  # fmt: skip
STEPS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 11), st.integers(0, 60)),
    min_size=8,
    max_size=30,
)


class Account:
    """A bench with the secrets of all keys that were ever made, the dead ones among them."""

    def __init__(self) -> None:
        self.bench = Bench(failure_share=0.0, rate_per_minute=0)
        self.secrets: list[tuple[str, str]] = [("key-account", ACCOUNT)]
        self._mint(0, 100)

    def step(self, kind: str, first: int, second: int) -> None:
        """Do it; whether it is refused is the emulator's business."""
        bench = self.bench
        key_id, secret = self.secrets[first % len(self.secrets)]
        if kind == "mint":
            self._mint(first, second)
        elif kind == "call":
            body = {
                "model": "gpt-4.1-mini",
                "messages": [{"role": "user", "content": "x" * 4_000 * second}],
                "max_tokens": 1 + 400 * second,
            }
            path = "/router/v1/chat/completions"
            bench.call("POST", path, body, key=secret, leaves=True)
        elif kind == "settle":
            bench.run_for(3)
        elif kind == "machine":
            bench.call("POST", "/sandbox/v1/sandboxes", {"name": "m"}, key=secret)
        elif kind == "unmachine" and bench.world.machines:
            boxes = list(bench.world.machines)
            bench.call("DELETE", f"/sandbox/v1/sandboxes/{boxes[first % len(boxes)]}")
        elif kind == "patch":
            body = {"budgetUsd": second / 100}
            bench.call("PATCH", f"/id/v1/keys/{key_id}", body)
        elif kind == "revoke":
            bench.call("DELETE", f"/id/v1/keys/{key_id}")
        elif kind == "rotate":
            reply = bench.call("POST", f"/id/v1/keys/{key_id}/rotate", {})
            self._take(reply.json.get("data", {}).get("newKey"))
        elif kind == "pass":
            bench.run_for(second * 60)

    def _mint(self, first: int, cents: int) -> None:
        _key_id, secret = self.secrets[first % len(self.secrets)]
        body = {"name": "k", "budgetUsd": max(1, cents) / 100}
        self._take(self.bench.call("POST", "/id/v1/keys", body, key=secret).json.get("data"))

    def _take(self, minted: dict[str, Any] | None) -> None:
        if minted:
            self.secrets.append((minted["id"], minted["key"]))


def check_money(bench: Bench) -> None:
    """What must hold at any moment, worked out anew from the rows of the ledger alone."""
    ledger = bench.world.ledger
    ledger.accrue(bench.world.now_ms())
    own: dict[str, int] = defaultdict(int)
    flow: Counter[str] = Counter()
    for row in ledger.entries:
        if row.kind in ("settle", "compute"):
            own[row.key_id] += row.amount_nusd
        flow[row.kind] += row.amount_nusd
    held = sum(key.held_nusd for key in ledger.keys.values())
    assert flow["hold"] == flow["settle"] + flow["release"] + held
    for key in ledger.keys.values():
        below = ledger.descendants(key.id)
        assert key.own_spent_nusd == own[key.id]
        assert key.spent_nusd == own[key.id] + sum(own[one.id] for one in below)
        assert min(key.held_nusd, key.reserved_nusd, key.reservation_nusd, key.spent_nusd) >= 0
        _check_budget(bench, key)


def _check_budget(bench: Bench, key: Key) -> None:
    ledger = bench.world.ledger
    children = [ledger.keys[one] for one in ledger.children.get(key.id, [])]
    assert key.reserved_nusd == sum(one.reservation_nusd for one in children)
    if key.budget_nusd is None:
        return
    remaining = ledger.remaining(key)
    assert remaining is not None
    assert remaining >= 0
    bound = key.spent_nusd + key.reserved_nusd + key.held_nusd
    if key.revoked_ms is not None:
        # Only what is in flight below still binds the parent: the unspent rest went back.
        assert key.reservation_nusd == key.reserved_nusd + key.held_nusd
    elif key.budget_nusd >= bound:
        assert key.budget_nusd == bound + remaining
        assert key.reservation_nusd == key.budget_nusd - key.spent_nusd
    else:
        # Lowered below what is bound: what is in flight and below stays bound, nothing is left.
        assert remaining == 0
        free = key.budget_nusd - key.spent_nusd
        assert key.reservation_nusd == max(free, key.reserved_nusd + key.held_nusd)


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_nothing_is_created_or_lost_in_any_order(steps: list[tuple[str, int, int]]) -> None:
    account = Account()
    for step in steps:
        account.step(*step)
        check_money(account.bench)
    account.bench.run_for(10)
    check_money(account.bench)
    assert all(key.held_nusd == 0 for key in account.bench.world.ledger.keys.values())


@settings(max_examples=15, deadline=None)
@given(STEPS)
def test_what_the_routes_tell_is_what_the_ledger_holds(steps: list[tuple[str, int, int]]) -> None:
    account = Account()
    for step in steps:
        account.step(*step)
    bench = account.bench
    rows = bench.call("GET", "/id/v1/keys?children=true").json["data"]
    spent = sum(row["budgetSpent"] for row in rows if row["parentKeyId"] == "key-account")
    ledger = bench.world.ledger
    charges = bench.call("GET", "/id/v1/billing/transactions?limit=1000").json["data"]
    balance = bench.call("GET", "/id/v1/billing/balance").json["data"]
    assert balance["balance"] + balance["lifetimeSpent"] == bench.world.dials.credit_usd
    assert (
        spent + Decimal(ledger.keys["key-account"].own_spent_nusd) / 10**9
        == (balance["lifetimeSpent"])
    )
    if len(charges) < 1_000:
        assert -sum(row["amount"] for row in charges) == balance["lifetimeSpent"]
    for row in rows:
        if row["budgetRemaining"]:
            held = ledger.keys[row["id"]].held_nusd
            bound = row["budgetSpent"] + row["budgetReserved"] + row["budgetRemaining"]
            assert row["budgetUsd"] == bound + Decimal(held) / 10**9
