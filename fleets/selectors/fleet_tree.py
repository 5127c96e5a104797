"""The tree that a fleet is in: who is below whom, how each stands, what it takes from above."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet
from django.urls import reverse

from fleets.domain import money
from fleets.domain.numbers import counted
from fleets.domain.status import Pattern
from fleets.domain.tree import WORST_FIRST
from fleets.models import Fleet
from fleets.selectors.fleet_spend import no_budget_words

# A tree of at most so many fleets is shown whole; of a larger one the way down and a page below.
MOST_WHOLE: Final = 40
PAGE: Final = 20
_COLUMNS: Final = (
    "public_id", "name", "state", "parent_id", "root_id", "path", "depth", "parent_agent",
    "found_at", "pattern", "agents_total", "machines_running", "tasks_total", "tasks_completed",
    "budget_nusd", "budget_is_known", "spent_nusd", "key_revoked_at", "tree_fleets", "tree_tasks",
    "tree_completed", "tree_open", "tree_failed", "tree_machines", "tree_worst",
)  # fmt: skip
_FIRST: Final = {word: number for number, word in enumerate(WORST_FIRST)}


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One fleet in the tree, as an ARIA treeitem needs it. Money is formatted, used rounded up.

    `is_open` None: nothing is below it. `worst` is the worst state below, "" for none to look at.
    `takes`: what its budget takes from its parent's, in words.
    """

    name: str
    url: str
    level: int
    position: int
    siblings: int
    state: str
    worst: str
    agent: str
    own: str
    subtree: str
    spent: str
    takes: str
    is_current: bool
    is_open: bool | None

    @property
    def title(self) -> str:
        """What it takes, alone and with everything below it."""
        below = f"; with all below: {self.subtree}" if self.subtree else ""
        return f"{self.name}: {self.takes}{below}"


@dataclass(frozen=True, slots=True)
class FleetTree:
    """The rows to show, and how many there are in all. `before` and `after` are pages of children
    of the current fleet, None where there is none.
    """

    nodes: Sequence[TreeNode]
    fleets: int
    machines: int
    shown_below: str
    before: int | None
    after: int | None

    @property
    def is_alone(self) -> bool:
        """Whether there is nothing but this fleet."""
        return self.fleets <= 1


def fleet_tree(fleet: Fleet, *, page: int = 0) -> FleetTree:
    """The tree around a fleet: two queries, four in a large tree, none for one that stands alone.

    Of a large tree: its ancestors, itself and page `page` of its children, what hurts first.
    """
    if fleet.parent_id is None and fleet.tree_fleets <= 1:
        return FleetTree((), 1, 0, "", None, None)
    root = Fleet.objects.only(*_COLUMNS).get(pk=fleet.root_id or fleet.pk)
    tree = Fleet.objects.filter(root=root).only(*_COLUMNS)
    if root.tree_fleets <= MOST_WHOLE:
        return _shown(fleet, root, list(tree), page=0, total_below=0)
    way = list(tree.filter(pk__in=fleet.path))
    below = _children(tree, fleet)
    start = max(0, page) * PAGE
    total = below.count()
    return _shown(
        fleet, root, way + list(below[start : start + PAGE]), page=page, total_below=total
    )


def _children(tree: "QuerySet[Fleet]", fleet: Fleet) -> "QuerySet[Fleet]":
    return tree.filter(parent=fleet).order_by("-tasks_failed", "-created_at", "-pk")


def _shown(
    fleet: Fleet, root: Fleet, fleets: Sequence[Fleet], *, page: int, total_below: int
) -> FleetTree:
    children: dict[int | None, list[Fleet]] = {}
    for one in fleets:
        children.setdefault(one.parent_id, []).append(one)
    for siblings in children.values():
        siblings.sort(key=_order)
    first = page * PAGE
    last = min(first + PAGE, total_below)
    return FleetTree(
        nodes=tuple(_walk(root, children, current=fleet.pk)),
        fleets=root.tree_fleets,
        machines=root.tree_machines,
        shown_below=f"{first + 1:,} to {last:,} of {total_below:,} children" if total_below else "",
        before=page - 1 if page > 0 and total_below else None,
        after=page + 1 if last < total_below else None,
    )


def _order(fleet: Fleet) -> tuple[int, int]:
    worst = min((_FIRST.get(word, 99) for word in (fleet.state, fleet.tree_worst)), default=99)
    return worst, -fleet.pk


def _walk(
    root: Fleet, children: Mapping[int | None, Sequence[Fleet]], *, current: int
) -> Iterable[TreeNode]:
    pending: list[tuple[Fleet, Fleet | None, int, int]] = [(root, None, 1, 1)]
    while pending:
        fleet, parent, position, siblings = pending.pop()
        below = children.get(fleet.pk, ())
        yield _node(fleet, parent, position, siblings, is_current=fleet.pk == current, below=below)
        pending += [
            (child, fleet, number, len(below))
            for number, child in reversed(list(enumerate(below, start=1)))
        ]


def _node(
    fleet: Fleet,
    parent: Fleet | None,
    position: int,
    siblings: int,
    *,
    is_current: bool,
    below: Sequence[Fleet],
) -> TreeNode:
    return TreeNode(
        name=fleet.name,
        url=reverse("fleets:fleet_detail", args=[fleet.public_id]),
        level=fleet.depth + 1,
        position=position,
        siblings=siblings,
        state=fleet.state,
        worst=fleet.tree_worst,
        agent=fleet.parent_agent,
        own=_own(fleet),
        subtree=_subtree(fleet),
        spent=money.show_used(fleet.spent_nusd),
        takes=_takes(fleet, parent),
        is_current=is_current,
        is_open=bool(below) if fleet.tree_fleets > 1 else None,
    )


def _own(fleet: Fleet) -> str:
    """Its own tasks; where it has none, or shows none, its machines."""
    is_found = fleet.found_at is not None and not fleet.tasks_total
    if is_found or fleet.pattern == Pattern.MACHINES:
        return counted(fleet.machines_running, "machine")
    return f"{fleet.tasks_completed:,}/{fleet.tasks_total or fleet.agents_total:,}"


def _subtree(fleet: Fleet) -> str:
    """The same with everything below it, "" for a fleet without children."""
    if fleet.tree_fleets <= 1:
        return ""
    parts = [
        counted(fleet.tree_fleets, "fleet"),
        f"{fleet.tree_completed:,}/{fleet.tree_tasks:,} done",
        counted(fleet.tree_machines, "machine"),
    ]
    if fleet.tree_failed:
        parts.append(f"{fleet.tree_failed:,} failed")
    return ", ".join(parts)


def _takes(fleet: Fleet, parent: Fleet | None) -> str:
    if fleet.budget_nusd is None:
        return no_budget_words(fleet)
    budget = money.show_limit(fleet.budget_nusd)
    if parent is None or parent.budget_nusd is None:
        return f"budget {budget}"
    if fleet.key_revoked_at is not None:
        return f"had {budget} of {parent.name}, what it did not spend is back there"
    return f"takes {budget} of {parent.name}'s {money.show_limit(parent.budget_nusd)}"
