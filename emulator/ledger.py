"""Keys' money: budgets, holds, settlements, reservations for children, compute. Exact integers.

Rules (contract 5 and 10, rows 16, 24, 28, 30, 32): under a key with a budget every key has one;
a child's whole budget is reserved at its parent and moves from reserved to spent as it is used,
so a charge is checked only against the key that makes it. A budget below spent + reserved is a
cut: nothing more is admitted in the whole tree, only calls in flight settle.
"""

from emulator.entities import Entry, Key
from emulator.errors import bad_request, budget_exceeded
from emulator.keytree import KeyTree

COMPUTE_ROW_SPAN_MS = 60_000


class Ledger(KeyTree):
    """All keys of the account and every entry."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []
        self.dirty_keys: set[str] = set()
        self.dirty_entries: set[int] = set()
        self._metered: set[str] = set()
        self._open_compute: dict[tuple[str, str | None], Entry] = {}

    @property
    def is_metering(self) -> bool:
        """True while a machine runs, so that time itself changes figures."""
        return bool(self._metered)

    def load(self, key: Key) -> None:
        """Take a key as it is, without any arithmetic."""
        super().load(key)
        if key.rate_nusd_per_s:
            self._metered.add(key.id)

    def mint(self, key: Key, *, now_ms: int) -> None:
        """Add a child key; raises 400 without a budget under one, 402 when it does not fit."""
        parent = self.keys[key.parent_id or self.account_id]
        self.accrue(now_ms)
        if parent.budget_nusd is not None:
            if key.budget_nusd is None:
                raise bad_request("A child of a budgeted key needs budgetUsd.", field="budgetUsd")
            if self.is_blocked(parent) or key.budget_nusd > self.raw_remaining(parent):
                raise budget_exceeded("The parent key has not that much left.")
        self.load(key)
        self.dirty_keys.add(key.id)
        self._refresh_reservations(key, now_ms=now_ms)

    # Calls

    def hold(self, key: Key, *, amount: int, ref: str, now_ms: int) -> None:
        """Reserve a call's worst case; raises 402 when it does not fit (contract 5)."""
        self.accrue(now_ms)
        if self.is_blocked(key):
            raise budget_exceeded("The key was cut off: nothing more is admitted.")
        if key.budget_nusd is not None and amount > self.raw_remaining(key):
            raise budget_exceeded("The call's worst case does not fit the remaining budget.")
        key.held_nusd += amount
        self._write(key, kind="hold", amount=amount, ref=ref, now_ms=now_ms)
        self._refresh_reservations(key, now_ms=now_ms)

    def settle(
        self, key: Key, *, held: int, actual: int, ref: str, held_ms: int, now_ms: int
    ) -> None:
        """Charge what a held call really cost and give the rest back. `actual` <= `held`."""
        if actual > held:
            raise ValueError("a call cannot cost more than its worst case")
        self.accrue(now_ms)
        key.held_nusd -= held
        row = self._write(key, kind="settle", amount=actual, ref=ref, now_ms=now_ms)
        row.held_ms = held_ms
        if held > actual:
            self._write(key, kind="release", amount=held - actual, ref=ref, now_ms=now_ms)
        self._charge(key, actual, now_ms=now_ms)

    # Compute

    def change_rate(self, key: Key, *, delta_nusd_per_s: int, now_ms: int) -> None:
        """A machine of this key began (positive) or ceased to run."""
        self.accrue(now_ms)
        key.metered_ms = now_ms
        key.rate_nusd_per_s += delta_nusd_per_s
        self.dirty_keys.add(key.id)
        if key.rate_nusd_per_s:
            self._metered.add(key.id)
        else:
            self._metered.discard(key.id)

    def accrue(self, now_ms: int) -> None:
        """Charge all running machines up to now."""
        for key_id in list(self._metered):
            key = self.keys[key_id]
            if now_ms > key.metered_ms:
                self._accrue_key(key, now_ms=now_ms)

    def _accrue_key(self, key: Key, *, now_ms: int) -> None:
        since_ms, key.metered_ms = key.metered_ms, now_ms
        thousandths = key.rate_nusd_per_s * (now_ms - since_ms) + key.metered_rest
        # Carried over, so that reading often changes nothing.
        amount, key.metered_rest = divmod(thousandths, 1000)
        inside = amount
        if self.is_blocked(key):
            inside = 0
        elif key.budget_nusd is not None:
            inside = min(amount, max(0, self.raw_remaining(key)))
        if inside:
            self._write_compute(key, since_ms=since_ms, until_ms=now_ms, amount=inside)
            self._charge(key, inside, now_ms=now_ms)
        if amount > inside:
            account = self.keys[self.account_id]
            key.outside_nusd += amount - inside
            self._write_compute(
                account,
                since_ms=since_ms,
                until_ms=now_ms,
                amount=amount - inside,
                outside_of=key.id,
            )
            self._charge(account, amount - inside, now_ms=now_ms)
        self.dirty_keys.add(key.id)

    def _write_compute(
        self, key: Key, *, since_ms: int, until_ms: int, amount: int, outside_of: str | None = None
    ) -> None:
        place = (key.id, outside_of)
        row = self._open_compute.get(place)
        if row is None or row.until_ms != since_ms or until_ms - row.at_ms > COMPUTE_ROW_SPAN_MS:
            row = self._write(
                key,
                kind="compute",
                amount=0,
                ref=f"compute:{outside_of or key.id}",
                now_ms=since_ms,
            )
            row.outside_of = outside_of
            self._open_compute[place] = row
        row.amount_nusd += amount
        row.until_ms = until_ms
        self.dirty_entries.add(row.seq)

    # Administration

    def set_budget(self, key: Key, *, budget_nusd: int, now_ms: int) -> None:
        """A budget below spent + reserved cuts the tree off; a raise must fit the parent (402)."""
        if key.budget_nusd is None:
            raise bad_request("A key minted without a budget stays without one.", field="budgetUsd")
        self.accrue(now_ms)
        parent = self.keys[key.parent_id or self.account_id]
        wanted = self._wanted_reservation(key, budget_nusd=budget_nusd)
        more = wanted - key.reservation_nusd
        if (
            more > 0
            and parent.budget_nusd is not None
            and (self.is_blocked(parent) or more > self.raw_remaining(parent))
        ):
            raise budget_exceeded("The parent key has not that much left.")
        self._open_compute.clear()
        key.budget_nusd = budget_nusd
        self._write(key, kind="budget", amount=budget_nusd, ref="patch", now_ms=now_ms)
        self._refresh_reservations(key, now_ms=now_ms)

    def revoke(self, key: Key, *, now_ms: int) -> list[Key]:
        """Revoke the key and its descendants; only what none of them spent returns."""
        self.accrue(now_ms)
        self._open_compute.clear()
        revoked = []
        for one in reversed([key, *self.descendants(key.id)]):
            if one.revoked_ms is None:
                one.revoked_ms = now_ms
                revoked.append(one)
                self._refresh_reservations(one, now_ms=now_ms)
        return revoked

    # Arithmetic

    def _charge(self, key: Key, amount: int, *, now_ms: int) -> None:
        key.own_spent_nusd += amount
        for one in self.chain(key):
            one.spent_nusd += amount
            self.dirty_keys.add(one.id)
        self._refresh_reservations(key, now_ms=now_ms, spent=amount)

    def _wanted_reservation(self, key: Key, *, budget_nusd: int) -> int:
        unspent = 0 if key.revoked_ms is not None else budget_nusd - key.spent_nusd
        return max(unspent, key.reserved_nusd + key.held_nusd)

    def _refresh_reservations(self, key: Key, *, now_ms: int, spent: int = 0) -> None:
        """Bring what the ancestors hold for the key in line; `spent` needs no row of its own."""
        for one in self.chain(key):
            self.dirty_keys.add(one.id)
            if one.budget_nusd is None or one.parent_id is None:
                continue
            wanted = self._wanted_reservation(one, budget_nusd=one.budget_nusd)
            change = wanted - one.reservation_nusd
            if change == 0:
                continue
            one.reservation_nusd = wanted
            parent = self.keys[one.parent_id]
            parent.reserved_nusd += change
            moved = change + spent
            if moved:
                kind = "reserve" if moved > 0 else "return"
                self._write(parent, kind=kind, amount=abs(moved), ref=one.id, now_ms=now_ms)

    def _write(self, key: Key, *, kind: str, amount: int, ref: str, now_ms: int) -> Entry:
        entry = Entry(len(self.entries) + 1, now_ms, key.id, kind, amount, ref)
        self.entries.append(entry)
        self.dirty_entries.add(entry.seq)
        self.dirty_keys.add(key.id)
        return entry
