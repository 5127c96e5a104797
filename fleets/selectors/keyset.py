"""Pages of a sorted list that stay right while rows come and go: cursors instead of offsets.

The rows are dictionaries with `sort_value` and `pk`; a cursor is both of the row it stands at.
"""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet


@dataclass(frozen=True, slots=True)
class KeysetPage:
    """Rows of one page; a cursor is "" where there is nothing further."""

    rows: Sequence[dict[str, Any]]
    after: str
    before: str


def page_of(
    found: "QuerySet[Any, dict[str, Any]]",
    *,
    is_descending: bool,
    size: int,
    after: str = "",
    before: str = "",
) -> KeysetPage:
    """One page of `found`, behind or before a cursor; one that does not fit means the first page.

    One query. `found` is unsorted, with `sort_value` annotated.
    """
    cursor = _read(after or before)
    is_backward = cursor is not None and not after
    downwards = is_descending != is_backward
    if cursor is not None:
        side = "lt" if downwards else "gt"
        value, pk = cursor
        found = found.filter(
            Q(**{f"sort_value__{side}": value}) | Q(sort_value=value, **{f"pk__{side}": pk})
        )
    sign = "-" if downwards else ""
    rows = list(found.order_by(f"{sign}sort_value", f"{sign}pk")[: size + 1])
    has_more = len(rows) > size
    rows = rows[:size]
    if is_backward:
        rows.reverse()
    is_last = not rows or (not has_more and not is_backward)
    is_first = not rows or cursor is None or (is_backward and not has_more)
    return KeysetPage(
        rows=rows,
        after="" if is_last else _cursor(rows[-1]),
        before="" if is_first else _cursor(rows[0]),
    )


def _cursor(row: dict[str, Any]) -> str:
    value = row["sort_value"]
    packed = [value.isoformat(), "t"] if isinstance(value, datetime) else [value, ""]
    text = json.dumps([*packed, row["pk"]], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _read(text: str) -> tuple[Any, int] | None:
    if not text:
        return None
    try:
        value, kind, pk = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if not isinstance(value, str | int) or not 0 <= int(pk) < 2**63:
            return None
        return (datetime.fromisoformat(str(value)) if kind == "t" else value), int(pk)
    except (ValueError, TypeError, OverflowError, binascii.Error):
        return None
