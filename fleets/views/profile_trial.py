"""One trial: both revisions side by side while they run, and for ever after."""

from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.answer_check import Verdict
from fleets.domain.errors import Conflict, InvalidInput, NotAllowed
from fleets.domain.status import Role
from fleets.live.channels import fleet_topic
from fleets.live.tokens import live_page, position
from fleets.models import Profile, ProfileTrial, Task
from fleets.selectors.profile_page import profile_head
from fleets.selectors.profile_trial import FIRST_RUN, trial_view
from fleets.services.actor import Actor
from fleets.services.answers import decide_answer

FRAGMENTS: Final = {"trial-body": "trial-body", "live": "includes/_live.html"}


@require_safe
@role_required(Role.VIEWER)
def profile_trial(request: HttpRequest, slug: str, trial: int) -> HttpResponse:
    """The page; under HTMX its figures and answers alone."""
    since = position()
    profile = get_profile(user_of(request), slug)
    return _page(request, profile, _trial(profile, trial), since=since)


@require_POST
@role_required(Role.OPERATOR)
def profile_trial_decide(request: HttpRequest, slug: str, trial: int, task: int) -> HttpResponse:
    """A person accepts or refuses an answer where its example leaves it to one."""
    profile = get_profile(user_of(request), slug)
    found = _trial(profile, trial)
    answered = Task.objects.filter(pk=task, run__fleet=found.fleet, run__number=FIRST_RUN)
    row = answered.select_related("run").first()
    if row is None:
        raise Http404
    word = request.POST.get("verdict", "")
    verdict = Verdict(word) if word in {one.value for one in Verdict} else Verdict.UNCHECKED
    reason = request.POST.get("reason", "")
    try:
        decide_answer(row, verdict=verdict, reason=reason, actor=Actor.of(request))
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except (InvalidInput, Conflict) as error:
        words = error.problems[0].message if isinstance(error, InvalidInput) else error.message
        said = {"problem": words, "reason": reason, "problem_at": task}
        status = 422 if isinstance(error, InvalidInput) else 409
        return _page(request, profile, found, since=position(), said=said, status=status)
    if htmx.fragment_for(request, FRAGMENTS) is not None:
        return _page(request, profile, found, since=position())
    here = reverse("fleets:profile_trial", args=[slug, trial])
    return htmx.redirect(request, f"{here}#answer-{task}")


def _trial(profile: Profile, pk: int) -> ProfileTrial:
    found = profile.trials.select_related("fleet", "created_by", "revision", "against")
    trial = found.defer("revision__body", "against__body").filter(pk=pk).first()
    if trial is None:
        raise Http404
    return trial


def _page(
    request: HttpRequest,
    profile: Profile,
    trial: ProfileTrial,
    *,
    since: str,
    said: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    user = user_of(request)
    view = trial_view(trial)
    topics = [fleet_topic(trial.fleet.public_id)]
    head = profile_head(profile, user, now=timezone.now())
    context: dict[str, Any] = {
        "head": head,
        "profile_url": reverse("fleets:profile_detail", args=[profile.slug]),
        "here": reverse("fleets:profile_trial", args=[profile.slug, trial.pk]),
        "fleet_url": reverse("fleets:fleet_detail", args=[trial.fleet.public_id]),
        "view": view,
        "may_publish": head.may_edit and view.number > (head.head or 0),
        "can": "operate" if user.is_operator else "read",
        "live": live_page(request, page="profile_trial", topics=topics, since=since),
        **(said or {}),
    }
    return htmx.render(
        request, "profiles/profile_trial.html", context, fragments=FRAGMENTS, status=status
    )
