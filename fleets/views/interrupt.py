"""Interrupts one agent: a plain form on its session page and in its peek."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed
from fleets.domain.status import Role
from fleets.forms.stop import REASON_LIMIT
from fleets.live.tokens import position
from fleets.services.actor import Actor
from fleets.services.interrupt import interrupt_agent
from fleets.views.session import get_agent, session_page
from fleets.views.stop import tell_if_ordered_before


@require_POST
@role_required(Role.OPERATOR)
def agent_interrupt(request: HttpRequest, public_id: str, agent_id: str) -> HttpResponse:
    """The order leads to its operation's page; a refusal is said on the session's."""
    since = position()
    fleet, agent = get_agent(user_of(request), public_id, agent_id)
    reason = request.POST.get("reason", "")[:REASON_LIMIT]
    try:
        operation = interrupt_agent(agent, actor=Actor.of(request), reason=reason)
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except (InvalidInput, Conflict) as error:
        status = 409 if isinstance(error, Conflict) else 422
        words = error.message if isinstance(error, Conflict) else error.problems[0].message
        said = {"refusal": words}
        return session_page(request, fleet, agent, since=since, said=said, status=status)
    tell_if_ordered_before(request, operation)
    return htmx.redirect(request, reverse("fleets:operation_detail", args=[operation.public_id]))
