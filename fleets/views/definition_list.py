"""The definitions as a list."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.status import Role
from fleets.selectors.definition_filter import DefinitionFilter
from fleets.selectors.definition_list import LAST_FLEETS, choices, definition_page

FRAGMENTS: Final = ("definition-list",)


@require_safe
@role_required(Role.VIEWER)
def definition_list(request: HttpRequest) -> HttpResponse:
    """The list; under HTMX its changing part alone."""
    chosen = DefinitionFilter.of(request.GET.dict())
    page = definition_page(
        chosen,
        user_of(request),
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
    )
    context: dict[str, Any] = {
        "chosen": chosen,
        "here": reverse("fleets:definition_list"),
        "page": page,
        "choices": choices(),
        "sorts": _sorts(chosen),
        "last_fleets": LAST_FLEETS,
        "archived_query": chosen.query(archived="" if chosen.archived else "only"),
        "export_query": chosen.query(),
        "older_query": chosen.query(after=page.after) if page.after else "",
        "newer_query": chosen.query(before=page.before) if page.before else "",
    }
    return htmx.render(request, "definitions/definition_list.html", context, fragments=FRAGMENTS)


def _sorts(chosen: DefinitionFilter) -> dict[str, dict[str, str]]:
    """Per sortable column: the query that sorts by it (again: the other way), and how it is now."""
    sorts = {}
    for column in ("name", "updated"):
        first, second = (column, f"-{column}") if column == "name" else (f"-{column}", column)
        is_current = chosen.sort.removeprefix("-") == column
        direction = "descending" if chosen.is_descending else "ascending"
        sorts[column] = {
            "query": chosen.query(sort=second if chosen.sort == first else first),
            "direction": direction if is_current else "",
        }
    return sorts
