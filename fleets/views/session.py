"""An agent's session: its transcript by turn, tools, ledger and raw events, and its prompt."""

from typing import Any, Final
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import get_fleet, role_required, user_of
from fleets.domain.hostile_text import OUTPUT_BYTES
from fleets.domain.number_input import parse_whole
from fleets.domain.status import Role
from fleets.forms.prompt import new_form_key
from fleets.live.channels import fleet_topic, session_topic
from fleets.live.tokens import live_page, position
from fleets.models import Agent, Fleet, User
from fleets.selectors import transcript as pages
from fleets.selectors.agent_peek import agent_peek
from fleets.selectors.fleet_detail import fleet_head
from fleets.selectors.neighbours import neighbours
from fleets.selectors.prompting import prompt_offer
from fleets.selectors.session import find_agent, ledger, session_head
from fleets.selectors.session_turns import SessionTurn, session_turns
from fleets.selectors.tool_table import tool_table
from fleets.views.stop import first_reason

PAGE: Final = "fleets/fleet_agent.html"
LARGEST: Final = 2**31
TABS: Final = {
    "transcript": "Transcript",
    "tools": "Tool calls",
    "ledger": "Ledger",
    "events": "Events",
}


@require_safe
@role_required(Role.VIEWER)
def fleet_agent(request: HttpRequest, public_id: str, agent_id: str) -> HttpResponse:
    """The page; under HTMX the transcript, the head, or what a peek shows."""
    since = position()
    fleet, agent = get_agent(user_of(request), public_id, agent_id)
    return session_page(request, fleet, agent, since=since)


def get_agent(user: User, public_id: str, agent_id: str) -> tuple[Fleet, Agent]:
    """The fleet and its agent, as far as the user may read them. Raises `Http404`."""
    fleet = get_fleet(user, public_id)
    agent = find_agent(fleet, agent_id)
    if agent is None:
        raise Http404
    return fleet, agent


def session_page(
    request: HttpRequest,
    fleet: Fleet,
    agent: Agent,
    *,
    since: str,
    said: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The session of an agent on the tab of its address; `said` is the prompt form's answer."""
    fragments = {
        "transcript": "fleets/_session_transcript.html",
        "session-side": "fleets/_session_side.html",
        "composer": "fleets/_session_composer.html",
        f"peek-{agent.pk}": "fleets/_agent_body.html",
        "live": "includes/_live.html",
    }
    asked = htmx.fragment_for(request, fragments)
    context = _frame(request, fleet, agent)
    if asked == fragments[f"peek-{agent.pk}"]:
        context["peek"] = agent_peek(fleet, agent.agent_id)
    else:
        context |= _tab(request, agent, context["turns"])
        context |= _composer(request, fleet, agent)
    if asked in (None, fragments["live"]):
        topics = [fleet_topic(fleet.public_id), session_topic(agent.pk)]
        context["live"] = live_page(
            request, page="agent_session", topics=topics, since=since, cursor=context["cursor"]
        )
    if asked is None:
        context |= _around(fleet, agent)
    return htmx.render(request, PAGE, context | (said or {}), fragments=fragments, status=status)


@require_safe
@role_required(Role.VIEWER)
def agent_event(
    request: HttpRequest, public_id: str, agent_id: str, turn: int, event: int
) -> HttpResponse:
    """One event at its own address: what it says, whole; under HTMX the insides of a tool call."""
    fleet, agent = get_agent(user_of(request), public_id, agent_id)
    turns = session_turns(agent)
    shown, frame = _event(turns, turn, event)
    here = _here(fleet, agent)
    context = {
        "fleet": fleet,
        "session": session_head(agent),
        "here": here,
        "fleet_url": reverse("fleets:fleet_detail", args=[fleet.public_id]),
        "turn": shown,
        "turn_pk": turn,
        "frame": frame,
        "event": event,
        "item": pages.item_at(turn, event),
        "in_context": f"{here}?{urlencode({'turn': turn, 'at': event})}#e{event}",
    }
    fragments = {f"io-{turn}-{event}": "fleets/_session_io.html"}
    return htmx.render(request, "fleets/agent_event.html", context, fragments=fragments)


@require_safe
@role_required(Role.VIEWER)
def agent_event_text(
    request: HttpRequest, public_id: str, agent_id: str, turn: int, event: int
) -> HttpResponse:
    """The whole text of an event as a file: an output, a message, or the frame as JSON."""
    _, agent = get_agent(user_of(request), public_id, agent_id)
    _event(session_turns(agent), turn, event)
    text = pages.whole_text(turn, event)
    name = f"{agent.agent_id}-turn-{turn}-event-{event}.txt"
    return HttpResponse(
        text.encode("utf-8", "replace"),
        content_type="text/plain; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        },
    )


def _event(turns: list[SessionTurn], turn: int, event: int) -> tuple[SessionTurn, pages.RawFrame]:
    shown = next((one for one in turns if one.pk == turn), None)
    frame = pages.frame_at(turn, event) if shown and event < LARGEST else None
    if shown is None or frame is None:
        raise Http404
    return shown, frame


def _here(fleet: Fleet, agent: Agent) -> str:
    return reverse("fleets:fleet_agent", args=[fleet.public_id, agent.agent_id])


def _frame(request: HttpRequest, fleet: Fleet, agent: Agent) -> dict[str, Any]:
    """What every part of the page needs."""
    return {
        "fleet": fleet,
        "session": session_head(agent),
        "here": _here(fleet, agent),
        "self_url": request.get_full_path(),
        "fleet_url": reverse("fleets:fleet_detail", args=[fleet.public_id]),
        "turns": session_turns(agent),
        "output_limit": OUTPUT_BYTES,
    }


def _around(fleet: Fleet, agent: Agent) -> dict[str, Any]:
    head = fleet_head(fleet, now=timezone.now())
    before, following = neighbours(agent)
    return {"head": head, "before": before, "following": following}


def _composer(request: HttpRequest, fleet: Fleet, agent: Agent) -> dict[str, Any]:
    user = user_of(request)
    return {
        "can": "operate" if user.is_operator else "read",
        "first_reason": first_reason(user),
        "offer": prompt_offer(fleet, agent, is_admin=user.is_admin),
        "form_key": new_form_key(),
    }


def _tab(request: HttpRequest, agent: Agent, turns: list[SessionTurn]) -> dict[str, Any]:
    words = request.GET
    tab = words.get("tab", "") if words.get("tab", "") in TABS else "transcript"
    asked = parse_whole(words.get("turn", ""))
    shown = next((turn for turn in turns if turn.pk == asked), turns[-1] if turns else None)
    context: dict[str, Any] = {
        "tab": tab,
        "tabs": TABS,
        "tab_template": f"fleets/_session_{tab}.html",
        "turn": shown,
        "cursor": "",
        "raw": words.get("raw") == "1",
    }
    if tab == "tools":
        context["tools"] = tool_table([turn.pk for turn in turns])
    elif tab == "ledger":
        context["ledger"] = ledger(turns)
    elif shown is not None and tab == "events":
        context |= _raw_events(request, shown)
    elif shown is not None:
        context |= _transcript(request, shown, is_newest=shown is turns[-1])
    return context


def _raw_events(request: HttpRequest, turn: SessionTurn) -> dict[str, Any]:
    frames = pages.raw_frames(turn.pk, before=parse_whole(request.GET.get("before", "")), most=51)
    shown = frames[:50]
    return {"frames": shown, "older": shown[-1].number if len(frames) > 50 else None}


def _transcript(request: HttpRequest, turn: SessionTurn, *, is_newest: bool) -> dict[str, Any]:
    """A page of the turn: the last one is appended to while one looks at it."""
    before = parse_whole(request.GET.get("before", ""))
    at = parse_whole(request.GET.get("at", ""))
    if before is None and at is not None:
        before = pages.page_of(turn.pk, at)
    page = pages.transcript(turn.pk, before=before)
    follows = is_newest and before is None and request.GET.get("raw") != "1"
    return {
        "page": page,
        "follows": follows,
        "cursor": f"{turn.pk}.{page.upto}" if follows else "",
    }
