"""The catalog of profiles as a list."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.status import Role
from fleets.selectors.profile_filter import ProfileFilter
from fleets.selectors.profile_following import catalog_state, unseen_count
from fleets.selectors.profile_list import choices, profile_page

FRAGMENTS: Final = ("profile-list",)


@require_safe
@role_required(Role.VIEWER)
def profile_list(request: HttpRequest) -> HttpResponse:
    """The list; under HTMX its changing part alone."""
    user = user_of(request)
    chosen = ProfileFilter.of(request.GET.dict())
    page = profile_page(
        chosen,
        user,
        now=timezone.now(),
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
    )
    context: dict[str, Any] = {
        "chosen": chosen,
        "here": reverse("fleets:profile_list"),
        "page": page,
        "choices": choices(),
        "unseen": unseen_count(user),
        "catalog": catalog_state(chosen.catalog, user) if chosen.catalog else None,
        "sorts": _sorts(chosen),
        "mine_query": chosen.query(owner="" if chosen.owner == "me" else "me"),
        "archived_query": chosen.query(archived="" if chosen.archived else "only"),
        "older_query": chosen.query(after=page.after) if page.after else "",
        "newer_query": chosen.query(before=page.before) if page.before else "",
    }
    return htmx.render(request, "profiles/profile_list.html", context, fragments=FRAGMENTS)


def _sorts(chosen: ProfileFilter) -> dict[str, dict[str, str]]:
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
