"""One definition: its recipe, its rows and prompts, its revisions, what it launched."""

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import get_definition, role_required, user_of
from fleets.domain.number_input import parse_revision
from fleets.domain.status import Role
from fleets.models import Definition
from fleets.selectors.definition_check import body_of
from fleets.selectors.definition_launches import launch_page
from fleets.selectors.definition_page import (
    definition_head,
    revision_page,
    revision_shown,
)
from fleets.selectors.definition_prompts import prompt_page

TABS: Final = (
    ("recipe", "Recipe"),
    ("prompts", "Rows & prompts"),
    ("revisions", "Revisions"),
    ("launches", "Launches"),
)
FRAGMENTS: Final = ("definition-tab",)


@require_safe
@role_required(Role.VIEWER)
def definition_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """The page with one tab open; `rev` is the revision that it shows."""
    return definition_page(request, get_definition(user_of(request), slug))


def definition_page(
    request: HttpRequest,
    definition: Definition,
    *,
    tab: str = "",
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page, after a refused act with the words of the refusal."""
    tab = tab or request.GET.get("tab", "recipe")
    if tab not in dict(TABS):
        raise Http404
    head = definition_head(definition, user_of(request), now=timezone.now())
    # Of a pool it is the tasks that are listed there, not its agents.
    is_pool = definition.head is not None and "tasks" in body_of(definition.head)
    prompts = None if is_pool else head.agents
    counts = {"revisions": head.number, "launches": head.launches, "prompts": prompts}
    context: dict[str, Any] = {
        "head": head,
        "here": reverse("fleets:definition_detail", args=[definition.slug]),
        "tab": tab,
        "tabs": [(key, label, counts.get(key)) for key, label in TABS],
        "tab_template": f"definitions/_tab_{tab}.html",
        "problem": problem,
        **_tab_context(request, definition, tab),
    }
    return htmx.render(
        request, "definitions/definition_detail.html", context, fragments=FRAGMENTS, status=status
    )


def _tab_context(request: HttpRequest, definition: Definition, tab: str) -> dict[str, Any]:
    if tab == "revisions":
        return {"page": revision_page(definition, before=_number(request, "before"))}
    if tab == "launches":
        return {"page": launch_page(definition, before=_number(request, "before"))}
    number = _number(request, "rev")
    shown = (
        revision_shown(definition, number)
        if tab == "recipe"
        else prompt_page(
            definition, user_of(request), number=number, first=_number(request, "from") or 1
        )
    )
    if shown is None:
        raise Http404
    return {"shown": shown, "rev": number}


def _number(request: HttpRequest, name: str) -> int | None:
    return parse_revision(request.GET.get(name, ""))
