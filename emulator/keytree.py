"""The account's keys as a tree, and what each of them may still use (contract 5)."""

from emulator.entities import Key


class KeyTree:
    """All keys, the account's own at the root."""

    def __init__(self) -> None:
        self.account_id = ""
        self.keys: dict[str, Key] = {}
        self.children: dict[str, list[str]] = {}

    def load(self, key: Key) -> None:
        """Take a key as it is."""
        self.keys[key.id] = key
        if key.parent_id is None:
            self.account_id = key.id
        else:
            self.children.setdefault(key.parent_id, []).append(key.id)

    def chain(self, key: Key) -> list[Key]:
        """The key and its ancestors, nearest first."""
        found = [key]
        while found[-1].parent_id is not None:
            found.append(self.keys[found[-1].parent_id])
        return found

    def descendants(self, key_id: str) -> list[Key]:
        """All keys below, parents before children."""
        found: list[Key] = []
        for child_id in self.children.get(key_id, []):
            found.append(self.keys[child_id])
            found.extend(self.descendants(child_id))
        return found

    def raw_remaining(self, key: Key) -> int:
        """Budget minus spent, reserved and held; negative after a cut. The key has a budget."""
        budget = key.budget_nusd or 0
        return budget - key.spent_nusd - key.reserved_nusd - key.held_nusd

    def remaining(self, key: Key) -> int | None:
        """What the key may still use, never negative; None = no budget."""
        return None if key.budget_nusd is None else max(0, self.raw_remaining(key))

    def is_cut(self, key: Key) -> bool:
        budget = key.budget_nusd
        return budget is not None and budget < key.spent_nusd + key.reserved_nusd

    def is_blocked(self, key: Key) -> bool:
        """True when the key or an ancestor is cut off or revoked."""
        return any(one.revoked_ms is not None or self.is_cut(one) for one in self.chain(key))
