"""The difference of two revisions of a definition."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import get_definition, role_required, user_of
from fleets.domain.number_input import parse_revision
from fleets.domain.status import Role
from fleets.selectors.definition_compare import compare
from fleets.selectors.definition_page import definition_head


@require_safe
@role_required(Role.VIEWER)
def definition_diff(request: HttpRequest, slug: str) -> HttpResponse:
    """`a` against `b`; left out, the newest against the one before it."""
    user = user_of(request)
    definition = get_definition(user, slug)
    head = definition_head(definition, user, now=timezone.now())
    after = _number(request.GET.get("b", "")) or head.number
    before = _number(request.GET.get("a", "")) or max(1, after - 1)
    by_source = request.GET.get("what") == "text"
    shown = compare(definition, before=before, after=after, by_source=by_source)
    if shown is None:
        raise Http404
    context: dict[str, Any] = {
        "head": head,
        "here": reverse("fleets:definition_detail", args=[slug]),
        "shown": shown,
        "by_source": by_source,
        "is_unified": request.GET.get("view") == "unified",
        "numbers": range(head.number, 0, -1),
    }
    return htmx.render(request, "definitions/definition_diff.html", context)


def _number(text: str) -> int:
    return parse_revision(text) or 0
