"""The fleets list: rows are patched cell by cell; counts, new fleets and the peek are fetched."""

from collections.abc import Sequence
from typing import Final

from django.template.loader import render_to_string

from fleets.live.channels import Change
from fleets.live.fragments import MAX_PARTIALS, Hint, Partial, Piece, register
from fleets.models import Fleet
from fleets.selectors.fleet_rows import FleetRow, for_rows, row_of

PAGE: Final = "fleet_list"
_COUNTS: Final = Hint("fleet-counts")
_TABLE: Final = Hint("fleet-table")
_PEEK: Final = Hint("peek")

# Partial of the row's template, and the prefix of its cell's id. The name's cell is not patched: it
# holds what differs between viewers (the place in the tree, the address of the peek).
_CELLS: Final = {
    "fleet-state": "fs",
    "fleet-agents": "fa",
    "fleet-spend": "fm",
    "fleet-cost": "fc",
    "fleet-machines": "fn",
}
_MOST_ROWS: Final = MAX_PARTIALS // len(_CELLS)


def fleet_list_changes(_topic: str, changes: Sequence[Change]) -> Sequence[Piece]:
    """Cells of the fleets that changed; many at once make every page fetch its own table."""
    changed = {pk for change in changes if change["kind"] == "fleet" for pk in change["ids"]}
    if len(changed) > _MOST_ROWS:
        return [_TABLE, _COUNTS, _PEEK]
    pieces: list[Piece] = [_COUNTS, _PEEK] if changed else [_COUNTS]
    for fleet in for_rows(Fleet.objects.filter(pk__in=changed)):
        pieces.extend(_cells(row_of(fleet)))
    return pieces


def _cells(row: FleetRow) -> list[Partial]:
    return [
        Partial(
            f"{prefix}-{row.pk}",
            render_to_string(f"fleets/_fleet_row.html#{partial}", {"item": row}),
        )
        for partial, prefix in _CELLS.items()
    ]


register(PAGE, fleet_list_changes)
