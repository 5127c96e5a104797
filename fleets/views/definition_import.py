"""agents.json in the browser: pasted or chosen, read with every problem, shown in the editor.

Nothing is saved here: what was read becomes the document of the editor, and a draft of the person.
"""

from functools import partial
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from fleetdash import htmx
from fleets.access import get_definition, role_required, user_of
from fleets.domain.agents_file import PLACE, read_agents
from fleets.domain.errors import InvalidInput, Problem
from fleets.domain.harnesses import DEFAULT_HARNESS
from fleets.domain.spec import DEFAULT_MODEL
from fleets.domain.status import Role
from fleets.models import Definition, User
from fleets.selectors.definition_check import body_of
from fleets.selectors.definition_list import open_definitions
from fleets.selectors.definition_source import document_of_agents, with_agents
from fleets.selectors.profile_refs import resolve_profile
from fleets.views.definition_drafting import keep
from fleets.views.definition_edit_page import editor_page
from fleets.views.definition_editor import first_editor
from fleets.views.launch_input import typed_with_file

FRAGMENTS: Final = ("definition-import",)


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR)
def definition_import(request: HttpRequest) -> HttpResponse:
    """The page; posted, the editor over what was read, or the page with what is wrong."""
    user = user_of(request)
    if request.method != "POST":
        return _page(request, user, into=request.GET.get("into", ""))
    typed = typed_with_file(request)
    slug = typed.get("into", "")
    definition = get_definition(user, slug) if slug else None
    text = typed.get(PLACE, "")
    try:
        document = _read(text, typed, definition, user)
    except InvalidInput as error:
        return _page(request, user, into=slug, text=text, problems=error.problems)
    head = definition.head if definition else None
    editor = first_editor(document, user=user, base=head.number if head else None)
    editor.kept_at = keep(definition, user, editor)
    return editor_page(request, editor, definition=definition)


def _read(
    text: str, typed: dict[str, str], definition: Definition | None, user: User
) -> dict[str, Any]:
    """The document with these agents. Raises InvalidInput at `agents`, with lines."""
    body = body_of(definition.head) if definition and definition.head else {}
    read_agents(
        text,
        harness=str(body.get("harness") or DEFAULT_HARNESS),
        model=str(body.get("model") or DEFAULT_MODEL),
        # A message can still be written in the editor.
        has_message=True,
        is_pool="tasks" in body,
        resolve=partial(resolve_profile, user),
    )
    if body:
        return with_agents(body, text)
    return document_of_agents(text, name=typed.get("name", "").strip())


def _page(
    request: HttpRequest,
    user: User,
    *,
    into: str,
    text: str = "",
    problems: tuple[Problem, ...] = (),
) -> HttpResponse:
    context = {
        "into": into,
        "text": text,
        "name": request.POST.get("name", ""),
        "problems": problems,
        "definitions": open_definitions(),
        "here": reverse("fleets:definition_import"),
    }
    return htmx.render(
        request,
        "definitions/definition_import.html",
        context,
        fragments=FRAGMENTS,
        status=422 if problems else 200,
    )
