"""The fleet page: where it stands, its agents, machines, answers, events and settings."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import get_fleet, role_required, user_of
from fleets.domain.number_input import parse_whole
from fleets.domain.numbers import show_duration_s
from fleets.domain.status import Pattern, Role
from fleets.live.channels import fleet_topic, tree_topic
from fleets.live.tokens import live_page, position
from fleets.models import Fleet, User
from fleets.selectors import agents, machines
from fleets.selectors.agent_peek import agent_peek
from fleets.selectors.answers import answer_words
from fleets.selectors.fleet_detail import (
    FleetHead,
    answered_words,
    failed_count,
    fleet_head,
    launch_url,
    machine_nusd_per_hour,
)
from fleets.selectors.fleet_events import IN_PANEL, event_page
from fleets.selectors.fleet_spend import spend_card
from fleets.selectors.fleet_tree import fleet_tree
from fleets.selectors.operation_lines import operation_lines
from fleets.selectors.profile_trials import trial_of
from fleets.selectors.results import result_table, shared_failure, verdict_tabs
from fleets.views.stop import first_reason

FRAGMENTS: Final = {
    "fleet-state": "fleet-state",
    "fleet-tab": "fleet-tab",
    "fleet-peek": "fleet-peek",
    "fleet-tree": "fleets/_fleet_tree.html",
    "live": "includes/_live.html",
}


@dataclass(frozen=True, slots=True)
class PageTab:
    """One tab of the page; `count` None has no number."""

    key: str
    label: str
    count: str | None


@require_safe
@role_required(Role.VIEWER)
def fleet_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    """The page; under HTMX its state, its tab or the peek alone."""
    since = position()
    fleet = get_fleet(user_of(request), public_id)
    return fleet_page(request, fleet, since=since)


def fleet_page(
    request: HttpRequest,
    fleet: Fleet,
    *,
    since: str,
    tab: str = "",
    said: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of a fleet on the tab its address names, or `tab`; `said` is a form's answer."""
    asked = htmx.fragment_for(request, FRAGMENTS)
    head = fleet_head(fleet, now=timezone.now())
    context = page_context(fleet, head, user=user_of(request))
    if asked in (None, "fleet-state"):
        context["spend"] = spend_card(fleet)
    if asked in (None, "fleet-tab"):
        context |= _tab_context(request, fleet, tab or request.GET.get("tab", ""))
    if asked in (None, "fleet-peek"):
        context |= _peek_context(request, fleet)
    if asked in (None, "fleets/_fleet_tree.html"):
        page = _number(request.GET.get("tree", ""), 0)
        context["tree"] = fleet_tree(fleet, page=page)
        context["tree_query"] = f"?tree={page}" if page else ""
    if asked is None:
        context["events"] = event_page(fleet, limit=IN_PANEL)
        context["operations"] = operation_lines(fleet)
    if asked in (None, "includes/_live.html"):
        topics = [fleet_topic(fleet.public_id), tree_topic(fleet.root_id or fleet.pk)]
        context["live"] = live_page(request, page="fleet_detail", topics=topics, since=since)
    oob: tuple[str, ...] = ()
    if asked == "fleet-state":
        oob = ("fleet-title", "fleet-meta", "page-state")
        oob += ("fleet-acts",) if head.is_gone else ()
    response = htmx.render(
        request,
        "fleets/fleet_detail.html",
        context | (said or {}),
        fragments=FRAGMENTS,
        oob=oob,
        status=status,
    )
    if asked == "fleet-peek":
        response.headers["HX-Push-Url"] = context["peek_url"]
    return response


def page_context(fleet: Fleet, head: FleetHead, *, user: User) -> dict[str, Any]:
    """What every page of a fleet needs."""
    return {
        "fleet": fleet,
        "head": head,
        "here": reverse("fleets:fleet_detail", args=[fleet.public_id]),
        "launch_url": launch_url(fleet),
        "can": "operate" if user.is_operator else "read",
        "page_state": {"title": head.title, "favicon": head.favicon, "summary": head.summary},
    }


def page_tabs(fleet: Fleet) -> list[PageTab]:
    """The tabs with their numbers, from the fleet's own row; without agents those of agents go."""
    tabs = [
        PageTab("agents", "Agents", f"{fleet.agents_total:,}"),
        PageTab("machines", "Machines", f"{fleet.machines_total:,}"),
        PageTab("results", "Results", answered_words(fleet)),
        PageTab("events", "Events", None),
        PageTab("settings", "Settings", None),
    ]
    if fleet.pattern == Pattern.MACHINES:
        return [tab for tab in tabs if tab.key not in ("agents", "results")]
    return tabs


def _tab_context(request: HttpRequest, fleet: Fleet, wanted: str) -> dict[str, Any]:
    offered = page_tabs(fleet)
    keys = [one.key for one in offered]
    tab = wanted if wanted in keys else keys[0]
    build = {
        "agents": _agents,
        "machines": _machines,
        "results": _results,
        "events": _events,
        "settings": _settings,
    }[tab]
    tabs = agents.agent_tabs(fleet) if tab == "agents" else agents.count_tabs(fleet)
    context = {
        "tab": tab,
        "tab_template": f"fleets/_tab_{tab}.html",
        "page_tabs": offered,
        "self_url": request.get_full_path(),
        "tabs": tabs,
    }
    return context | build(request, fleet, tabs)


def _agents(request: HttpRequest, fleet: Fleet, tabs: list[agents.CountTab]) -> dict[str, Any]:
    words = request.GET
    group, search = words.get("state", ""), words.get("q", "").strip()
    view = "table" if words.get("view") == "table" else "grid"
    limit = _rows_per_page(fleet, view)
    table = agents.agent_table(
        fleet, group=group, search=search, after=words.get("after", ""), limit=limit
    )
    failed = failed_count(fleet)
    is_drawn = view == "grid" and fleet.agents_total <= agents.BARS_ABOVE
    counted = {tab.key: tab.count for tab in tabs}
    return {
        "table": table,
        "grid": agents.grid(fleet, after=_number(words.get("machines", ""), -1))
        if is_drawn
        else None,
        "agents_total": f"{fleet.agents_total:,}" if fleet.agents_total else "",
        "cause": {"failed": failed, "text": shared_failure(fleet) if failed > 1 else ""},
        "counts": _counts(request, tabs, group),
        "filter": {
            "group": group,
            "search": search,
            "view": view,
            "count": f"{counted.get(group, 0) if group else fleet.agents_total:,}",
            "all": _url(request, state="", after=""),
            "grid_url": _url(request, view="", after=""),
            "table_url": _url(request, view="table", after=""),
            "next_url": _url(request, after=table.after) if table.after else "",
            "first_url": _url(request, after="") if words.get("after") else "",
        },
    }


def _rows_per_page(fleet: Fleet, view: str) -> int:
    """A full page of the table alone, less beside the grid, least where the grid leads."""
    if view == "table":
        return agents.MOST_ROWS
    leads = agents.GRID_LEADS_ABOVE < fleet.agents_total <= agents.BARS_ABOVE
    return agents.ROWS_BELOW_GRID if leads else agents.ROWS_BESIDE_GRID


def _machines(request: HttpRequest, fleet: Fleet, _tabs: list[agents.CountTab]) -> dict[str, Any]:
    after = _number(request.GET.get("after", ""), -1)
    return {"machines": machines.machine_table(fleet, after=after)}


def _results(request: HttpRequest, fleet: Fleet, tabs: list[agents.CountTab]) -> dict[str, Any]:
    group, verdict = request.GET.get("state", ""), request.GET.get("verdict", "")
    after = _number(request.GET.get("after", ""), -1)
    table = result_table(fleet, group=group, verdict=verdict, after=after)
    next_url = "" if table.after is None else _url(request, after=str(table.after))
    return {
        "results": table,
        "next_url": next_url,
        "verdicts": [
            {
                "tab": tab,
                "url": _url(request, verdict="" if tab.key == verdict else tab.key, after=""),
                "is_current": tab.key == verdict,
            }
            for tab in verdict_tabs(fleet)
        ],
        "answer_words": answer_words(fleet),
        "tasks_total": f"{fleet.tasks_total:,}",
        "counts": _counts(request, tabs, group),
        "filter": {"group": group, "verdict": verdict},
    }


def _events(request: HttpRequest, fleet: Fleet, _tabs: list[agents.CountTab]) -> dict[str, Any]:
    only = request.GET.get("only", "")[: agents.MOST_SEARCH_CHARS]
    before = _number(request.GET.get("before", ""), 0) or None
    events = event_page(fleet, before=before, agent_id=only)
    return {
        "all_events": events,
        "older_url": "" if events.before is None else _url(request, before=str(events.before)),
        "filter": {"agent_id": only},
    }


def _settings(_request: HttpRequest, fleet: Fleet, _tabs: list[agents.CountTab]) -> dict[str, Any]:
    return {
        "trial": trial_of(fleet),
        "machine_nusd_per_hour": machine_nusd_per_hour(fleet),
        "delay": show_duration_s(fleet.after_delay_s),
        "answer_words": answer_words(fleet),
    }


def _counts(request: HttpRequest, tabs: list[agents.CountTab], group: str) -> list[dict[str, Any]]:
    return [
        {
            "tab": tab,
            "url": _url(request, state=tab.key, after=""),
            "is_current": tab.key == group,
        }
        for tab in tabs
    ]


def _peek_context(request: HttpRequest, fleet: Fleet) -> dict[str, Any]:
    """The peek, and the address that shows the page with it: the filter of the page stays."""
    agent_id = request.GET.get("agent", "")[: agents.MOST_SEARCH_CHARS]
    peek = agent_peek(fleet, agent_id) if agent_id else None
    current = QueryDict(urlsplit(request.headers.get("HX-Current-URL", "")).query, mutable=True)
    query = current if request.headers.get("HX-Current-URL") else request.GET.copy()
    query.pop("agent", None)
    close_url = f"{request.path}?{query.urlencode()}" if query else request.path
    if peek:
        query["agent"] = peek.agent_id
    peek_url = f"{request.path}?{query.urlencode()}" if query else request.path
    return {
        "peek": peek,
        "close_url": close_url,
        "peek_url": peek_url,
        "first_reason": first_reason(user_of(request)),
    }


def _url(request: HttpRequest, **changes: str) -> str:
    """This address with some words of its query changed; an empty word is left out."""
    query = request.GET.copy()
    for name, value in changes.items():
        query[name] = value
    kept = {name: value for name, value in query.items() if value and name != "agent"}
    return f"{request.path}?{urlencode(kept)}" if kept else request.path


def _number(text: str, otherwise: int) -> int:
    number = parse_whole(text)
    return otherwise if number is None else number
