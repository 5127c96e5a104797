"""A person accepts or refuses an answer: buttons in its row of the results."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_POST

from fleetdash import htmx
from fleets.access import get_fleet, role_required, user_of
from fleets.domain.answer_check import Verdict
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed
from fleets.domain.status import Role
from fleets.models import Fleet, Task
from fleets.selectors.results import result_row
from fleets.services.actor import Actor
from fleets.services.answers import decide_answer
from fleets.views.fleet_detail import fleet_page


@require_POST
@role_required(Role.OPERATOR)
def answer_decide(request: HttpRequest, public_id: str, task: int) -> HttpResponse:
    """The decision; the row says what stands now, or why it could not be written."""
    fleet = get_fleet(user_of(request), public_id)
    found = Task.objects.filter(pk=task, run__fleet=fleet).select_related("run").first()
    if found is None:
        raise Http404
    word = request.POST.get("verdict", "")
    verdict = Verdict(word) if word in {one.value for one in Verdict} else Verdict.UNCHECKED
    reason = request.POST.get("reason", "")
    try:
        decide_answer(found, verdict=verdict, reason=reason, actor=Actor.of(request))
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except (InvalidInput, Conflict) as error:
        words = error.problems[0].message if isinstance(error, InvalidInput) else error.message
        said = {"problem": words, "reason": reason, "problem_at": task}
        status = 422 if isinstance(error, InvalidInput) else 409
        return _answer(request, fleet, task, said=said, status=status)
    return _answer(request, fleet, task, said={}, status=200)


def _answer(
    request: HttpRequest, fleet: Fleet, task: int, *, said: dict[str, Any], status: int
) -> HttpResponse:
    target = f"answer-{task}"
    here = reverse("fleets:fleet_detail", args=[fleet.public_id])
    if htmx.fragment_for(request, (target,)) is not None:
        row = result_row(fleet, task)
        context = {"row": row, "fleet": fleet, "here": here, "is_open": True, **said}
        return HttpResponse(
            render_to_string("fleets/_answer.html", context, request), status=status
        )
    if status == 200:
        return htmx.redirect(request, f"{here}?tab=results#{target}")
    return fleet_page(request, fleet, since="", tab="results", said=said, status=status)
