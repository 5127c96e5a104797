"""Sends an agent another prompt: a plain form on the session page."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed
from fleets.domain.status import Role
from fleets.forms.prompt import PromptForm, new_form_key
from fleets.live.tokens import position
from fleets.services.actor import Actor
from fleets.services.prompt import prompt_agent
from fleets.views.session import get_agent, session_page


@require_POST
@role_required(Role.OPERATOR)
def agent_prompt(request: HttpRequest, public_id: str, agent_id: str) -> HttpResponse:
    """A turn is ordered and the page of the session follows it; or the form says why not."""
    since = position()
    fleet, agent = get_agent(user_of(request), public_id, agent_id)
    form = PromptForm(request.POST)
    key = form["form_key"].value() if form.is_valid() else new_form_key()
    text = form["prompt"].value() or ""
    try:
        prompt_agent(agent, text=text, actor=Actor.of(request), form_key=key)
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except (InvalidInput, Conflict) as error:
        status = 409 if isinstance(error, Conflict) else 422
        words = error.message if isinstance(error, Conflict) else error.problems[0].message
        said: dict[str, Any] = {"problem": words, "prompt_text": text, "form_key": key}
        return session_page(request, fleet, agent, since=since, said=said, status=status)
    here = reverse("fleets:fleet_agent", args=[fleet.public_id, agent.agent_id])
    return htmx.redirect(request, here)
