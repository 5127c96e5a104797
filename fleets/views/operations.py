"""The page of an operation: what was ordered, what is proved, what it still costs."""

from typing import Any, Final
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import get_operation, role_required, user_of
from fleets.domain.errors import Conflict, NotAllowed
from fleets.domain.status import Role
from fleets.live.channels import fleet_topic, operation_topic
from fleets.live.tokens import live_page, position
from fleets.models import Operation
from fleets.selectors.operations import node_table, node_tabs, operation_head
from fleets.services.actor import Actor
from fleets.services.operations import retry_operation

FRAGMENTS: Final = {
    "operation-head": "operation-head",
    "operation-acts": "operation-acts",
    "operation-nodes": "operation-nodes",
    "live": "includes/_live.html",
}


@require_safe
@role_required(Role.VIEWER)
def operation_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    """The page; under HTMX its head, its acts or its nodes alone."""
    user = user_of(request)
    since = position()
    operation = get_operation(user, public_id)
    context = _context(request, operation)
    if htmx.fragment_for(request, FRAGMENTS) in (None, "operation-nodes"):
        group = request.GET.get("state", "")
        table = node_table(operation, group=group, after=request.GET.get("after", ""))
        words = {"state": group, "after": table.after or ""}
        context["table"] = table
        context["group"] = group
        context["next_url"] = f"{request.path}?{_query(words)}" if table.after else ""
        context["self_url"] = request.get_full_path()
    topics = [operation_topic(public_id), fleet_topic(operation.fleet.public_id)]
    context["live"] = live_page(request, page="operation", topics=topics, since=since)
    return htmx.render(request, "operations/operation_detail.html", context, fragments=FRAGMENTS)


@require_POST
@role_required(Role.OPERATOR)
def operation_retry(request: HttpRequest, public_id: str) -> HttpResponse:
    """Try again what is left; pressed twice it is tried once."""
    operation = get_operation(user_of(request), public_id)
    try:
        retry_operation(operation, actor=Actor.of(request))
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except Conflict:
        # Somebody was faster, or nothing is left: the page shows which.
        pass
    return htmx.redirect(request, reverse("fleets:operation_detail", args=[public_id]))


def _context(request: HttpRequest, operation: Operation) -> dict[str, Any]:
    head = operation_head(operation)
    user = user_of(request)
    return {
        "head": head,
        "tabs": node_tabs(head),
        "here": reverse("fleets:operation_detail", args=[operation.public_id]),
        "fleet_url": reverse("fleets:fleet_detail", args=[operation.fleet.public_id]),
        "can": "operate" if user.is_operator else "read",
        "page_state": {
            "title": head.page_title,
            "favicon": head.favicon,
            "summary": f"{head.counts.done} of {head.counts.total} {head.done_word}",
        },
    }


def _query(words: dict[str, str]) -> str:
    return urlencode({name: value for name, value in words.items() if value})
