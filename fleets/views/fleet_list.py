"""The fleets list, its export, and the fragments that keep it current."""

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.number_input import parse_whole
from fleets.domain.status import Role
from fleets.live.channels import FLEETS
from fleets.live.tokens import live_page, position
from fleets.models import User
from fleets.selectors.fleet_filter import DEFAULT_SORT, FleetFilter
from fleets.selectors.fleet_list import FleetPage, Overview, fleet_page, has_connection, overview
from fleets.selectors.fleet_peek import fleet_peek
from fleets.selectors.fleet_rows import show_rate

FRAGMENTS: Final = {
    "fleet-split": "fleet-split",
    "fleet-table": "fleet-table",
    "fleet-counts": "fleet-counts",
    "peek": "fleets/_fleet_peek.html",
}
OOB: Final = {
    "fleet-split": ("page-state",),
    "fleet-counts": ("fleet-new", "fleet-costs", "page-state"),
}


@require_safe
@role_required(Role.VIEWER)
def fleet_list(request: HttpRequest) -> HttpResponse:
    """The list; under HTMX the part that was asked for. `known` keeps newer fleets waiting."""
    user = user_of(request)
    now = timezone.now()
    chosen = FleetFilter.of(request.GET.dict())
    known = _number(request.GET.get("known", ""))
    asked = htmx.fragment_for(request, FRAGMENTS)
    # The stream begins where it stood before the rows were read: nothing falls between.
    since = position() if asked is None else ""
    if asked == FRAGMENTS["peek"]:
        return _peek(request, user, chosen)
    above = overview(chosen, user, now=now, known=known)
    context: dict[str, Any] = {
        "chosen": chosen,
        "here": reverse("fleets:fleet_list"),
        "overview": above,
        "page_state": _page_state(above),
        "costs": _costs(above),
        "counts_query": chosen.query(known=str(above.known)),
    }
    if asked != "fleet-counts":
        page = fleet_page(
            chosen,
            user,
            now=now,
            after=request.GET.get("after", ""),
            before=request.GET.get("before", ""),
            known=known,
            peek=request.GET.get("peek", ""),
        )
        context |= _page_context(request, chosen, above, page)
    if asked in (None, "fleet-split"):
        context |= _peek_context(request, user, chosen)
    if asked is None:
        context["live"] = live_page(request, page="fleet_list", topics=[FLEETS], since=since)
    return htmx.render(
        request,
        "fleets/fleet_list.html",
        context,
        fragments=FRAGMENTS,
        oob=OOB.get(asked or "", ()),
    )


def _peek(request: HttpRequest, user: User, chosen: FleetFilter) -> HttpResponse:
    """The open peek alone: it fetches itself while the list is live."""
    context = _peek_context(request, user, chosen)
    if context["peek"] is None:
        raise Http404
    context["here"] = reverse("fleets:fleet_list")
    return htmx.render(request, "fleets/fleet_list.html", context, fragments=FRAGMENTS)


def _page_context(
    request: HttpRequest, chosen: FleetFilter, above: Overview, page: FleetPage
) -> dict[str, Any]:
    is_empty = not page.rows
    return {
        "page": page,
        "refresh_query": chosen.query(known=str(above.known), **_paging(request)),
        "older_query": chosen.query(after=page.after) if page.after else "",
        "newer_query": chosen.query(before=page.before) if page.before else "",
        "sorts": _sorts(chosen),
        "is_unconnected": is_empty and not chosen.words and not has_connection(),
        "ranges": [
            (label, chosen.query(range=key), chosen.range == key)
            for key, label in (("", "Any time"), ("24h", "24 h"), ("7d", "7 d"), ("30d", "30 d"))
        ],
        "mine_query": chosen.query(owner="" if chosen.owner == "me" else "me"),
        "export_query": chosen.query(),
        "form_words": [
            (key, value)
            for key, value in (
                ("state", chosen.state),
                ("owner", chosen.owner),
                ("range", chosen.range),
                ("sort", chosen.sort),
            )
            if value and (key, value) != ("sort", DEFAULT_SORT)
        ],
    }


def _peek_context(request: HttpRequest, user: User, chosen: FleetFilter) -> dict[str, Any]:
    peek = request.GET.get("peek", "")
    paging = _paging(request)
    return {
        "peek": fleet_peek(user, peek) if peek else None,
        "peek_query": chosen.query(peek=peek, **paging),
        "close_query": chosen.query(**paging),
    }


def _paging(request: HttpRequest) -> dict[str, str]:
    return {key: request.GET[key] for key in ("after", "before") if request.GET.get(key)}


def _sorts(chosen: FleetFilter) -> dict[str, dict[str, str]]:
    """Per sortable column: the query that sorts by it (again: the other way), and how it is now."""
    sorts = {}
    for column in ("name", "spend", "cost", "started"):
        first, second = (column, f"-{column}") if column == "name" else (f"-{column}", column)
        is_current = chosen.sort.removeprefix("-") == column
        direction = "descending" if chosen.sort.startswith("-") else "ascending"
        sorts[column] = {
            "query": chosen.query(sort=second if chosen.sort == first else first),
            "direction": direction if is_current else "",
        }
    return sorts


def _costs(above: Overview) -> dict[str, str]:
    """What the filter's fleets cost at this moment: work, and machines without work."""
    burn, idle = above.burn_nusd_per_min, above.idle_nusd_per_hour
    return {
        "burn": "" if burn == 0 else f"{show_rate(burn)}/min now",
        "idle": f"{show_rate(idle)}/h idle" if idle else "",
    }


def _page_state(above: Overview) -> dict[str, str]:
    count = above.attention
    need = f"{count:,} {'needs' if count == 1 else 'need'} attention" if count else ""
    return {
        "title": " · ".join(part for part in ("Fleets", need, "Fleetdash") if part),
        "favicon": "failed" if count else "running" if above.running else "idle",
        "summary": f"{above.running:,} running, {count:,} need attention",
    }


def _number(text: str) -> int | None:
    return parse_whole(text, most_digits=18)
