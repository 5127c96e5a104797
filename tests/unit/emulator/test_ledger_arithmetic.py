"""Nothing is created or lost, whatever happens in whatever order."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator.entities import Key
from emulator.errors import ApiError
from emulator.ledger import Ledger

USD = 1_000_000_000


def make_key(key_id: str, *, parent: str | None, budget: int | None) -> Key:
    return Key(key_id, f"hash-{key_id}", "sk-tan", key_id, parent, 0, budget_nusd=budget)


def make_ledger(budget: int | None = USD) -> tuple[Ledger, Key]:
    """An account with one key of this budget."""
    ledger = Ledger()
    ledger.load(make_key("account", parent=None, budget=None))
    key = make_key("fleet", parent="account", budget=budget)
    ledger.mint(key, now_ms=0)
    return ledger, key


def check_books(ledger: Ledger) -> None:
    """The laws that hold after every step."""
    charged = sum(row.amount_nusd for row in ledger.entries if row.kind in ("settle", "compute"))
    assert ledger.keys["account"].spent_nusd == charged
    for key in ledger.keys.values():
        children = [ledger.keys[one] for one in ledger.children.get(key.id, [])]
        assert key.spent_nusd == key.own_spent_nusd + sum(one.spent_nusd for one in children)
        assert key.reserved_nusd == sum(one.reservation_nusd for one in children)
        assert key.held_nusd >= 0
        if key.budget_nusd is not None:
            assert key.reservation_nusd >= key.held_nusd + key.reserved_nusd
            assert (ledger.remaining(key) or 0) >= 0


def try_step(ledger: Ledger, holds: list[Any], step: tuple[Any, ...], now_ms: int) -> None:
    kind, first, second = step
    budgeted = [key for key in ledger.keys.values() if key.parent_id is not None]
    key = budgeted[first % len(budgeted)]
    amount = second * USD // 100
    if kind == "mint":
        child = make_key(f"key-{len(ledger.keys)}", parent=key.id, budget=amount)
        ledger.mint(child, now_ms=now_ms)
    elif kind == "hold":
        ledger.hold(key, amount=amount, ref="call", now_ms=now_ms)
        holds.append((key, amount, now_ms))
    elif kind == "settle" and holds:
        held_key, held, held_ms = holds.pop(first % len(holds))
        actual = held * (second % 100) // 100
        ledger.settle(held_key, held=held, actual=actual, ref="c", held_ms=held_ms, now_ms=now_ms)
    elif kind == "rate":
        ledger.change_rate(key, delta_nusd_per_s=second * 777, now_ms=now_ms)
    elif kind == "budget":
        ledger.set_budget(key, budget_nusd=amount, now_ms=now_ms)
    elif kind == "revoke" and key.id != "fleet":
        ledger.revoke(key, now_ms=now_ms)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("mint", "hold", "hold", "settle", "settle", "rate", "budget", "revoke")),
        st.integers(0, 20),
        st.integers(1, 60),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_books_balance_after_any_steps(steps: list[tuple[Any, ...]]) -> None:
    ledger, _key = make_ledger()
    holds: list[Any] = []
    for number, step in enumerate(steps):
        with contextlib.suppress(ApiError):
            try_step(ledger, holds, step, number * 1000)
        ledger.accrue(number * 1000 + 500)
        check_books(ledger)


@settings(max_examples=50, deadline=None)
@given(STEPS)
def test_budgets_are_never_overspent_unless_they_were_lowered(steps: list[tuple[Any, ...]]) -> None:
    ledger, key = make_ledger()
    holds: list[Any] = []
    for number, step in enumerate(one for one in steps if one[0] != "budget"):
        try:
            try_step(ledger, holds, step, number * 1000)
        except ApiError:
            continue
        assert key.spent_nusd + key.reserved_nusd + key.held_nusd <= USD


def test_parent_of_thirty_cents_admits_two_children_of_twelve_and_refuses_the_third() -> None:
    ledger, key = make_ledger(30 * USD // 100)
    for name in ("one", "two"):
        ledger.mint(make_key(name, parent="fleet", budget=12 * USD // 100), now_ms=0)
    with pytest.raises(ApiError) as refusal:
        ledger.mint(make_key("three", parent="fleet", budget=12 * USD // 100), now_ms=0)
    assert refusal.value.status == 402
    assert ledger.remaining(key) == 6 * USD // 100


def test_only_what_a_revoked_child_had_not_spent_returns() -> None:
    ledger, key = make_ledger(USD)
    child = make_key("child", parent="fleet", budget=USD // 2)
    ledger.mint(child, now_ms=0)
    ledger.hold(child, amount=USD // 4, ref="call", now_ms=1)
    ledger.settle(child, held=USD // 4, actual=USD // 10, ref="call", held_ms=1, now_ms=2)
    ledger.revoke(child, now_ms=3)
    assert (key.spent_nusd, key.reserved_nusd) == (USD // 10, 0)
    assert ledger.remaining(key) == USD - USD // 10


def test_call_in_flight_of_a_revoked_child_stays_reserved_until_it_settles() -> None:
    ledger, key = make_ledger(USD)
    child = make_key("child", parent="fleet", budget=USD // 2)
    ledger.mint(child, now_ms=0)
    ledger.hold(child, amount=USD // 4, ref="call", now_ms=1)
    ledger.revoke(child, now_ms=2)
    assert key.reserved_nusd == USD // 4
    ledger.settle(child, held=USD // 4, actual=7, ref="call", held_ms=1, now_ms=3)
    assert (key.spent_nusd, key.reserved_nusd) == (7, 0)


def test_cut_off_tree_refuses_calls_children_and_compute_and_reopens() -> None:
    ledger, key = make_ledger(USD)
    child = make_key("child", parent="fleet", budget=USD // 2)
    ledger.mint(child, now_ms=0)
    ledger.change_rate(key, delta_nusd_per_s=24_000, now_ms=0)
    ledger.set_budget(key, budget_nusd=0, now_ms=1000)
    spent = key.spent_nusd
    assert spent == 24_000
    for one in (key, child):
        with pytest.raises(ApiError):
            ledger.hold(one, amount=1, ref="call", now_ms=1500)
        with pytest.raises(ApiError):
            ledger.mint(make_key(f"of-{one.id}", parent=one.id, budget=1), now_ms=1500)
    ledger.accrue(2000)
    assert (key.spent_nusd, key.outside_nusd) == (spent, 24_000)
    ledger.set_budget(key, budget_nusd=USD, now_ms=2000)
    ledger.hold(child, amount=1, ref="call", now_ms=2500)
    ledger.accrue(3000)
    assert key.spent_nusd == spent + 24_000


def test_compute_beyond_the_budget_goes_to_the_account() -> None:
    ledger, key = make_ledger(50_000)
    ledger.change_rate(key, delta_nusd_per_s=24_000, now_ms=0)
    ledger.accrue(10_000)
    assert (key.spent_nusd, key.outside_nusd) == (50_000, 190_000)
    assert ledger.keys["account"].spent_nusd == 240_000


def test_compute_is_exact_however_often_it_is_read() -> None:
    read_often, often = make_ledger(USD)
    read_once, once = make_ledger(USD)
    for ledger in (read_often, read_once):
        ledger.change_rate(ledger.keys["fleet"], delta_nusd_per_s=11_333, now_ms=0)
    for now_ms in range(0, 100_001, 7):
        read_often.accrue(now_ms)
    read_often.accrue(100_001)
    read_once.accrue(100_001)
    assert often.spent_nusd == once.spent_nusd == 1_133_311
    assert len(read_often.entries) < 6


def test_settling_more_than_was_held_is_impossible() -> None:
    ledger, key = make_ledger(USD)
    ledger.hold(key, amount=10, ref="call", now_ms=0)
    with pytest.raises(ValueError, match="worst case"):
        ledger.settle(key, held=10, actual=11, ref="call", held_ms=0, now_ms=1)
