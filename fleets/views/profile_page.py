"""One profile: what it says, its revisions, who uses it, what came of it."""

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.number_input import parse_revision
from fleets.domain.status import Role
from fleets.models import Profile
from fleets.selectors.platform_catalog import platform_row
from fleets.selectors.profile_examples import example_list
from fleets.selectors.profile_following import follow_state
from fleets.selectors.profile_page import configuration, profile_head, revision_page
from fleets.selectors.profile_results import revision_results, trial_turns
from fleets.selectors.profile_trials import trial_list
from fleets.selectors.profile_users import definitions_of, fleet_uses

TABS: Final = (
    ("configuration", "Configuration"),
    ("revisions", "Revisions"),
    ("examples", "Examples"),
    ("used-by", "Used by"),
    ("results", "Results"),
)
FRAGMENTS: Final = ("profile-tab",)


@require_safe
@role_required(Role.VIEWER)
def profile_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """The page with one tab open; `rev` is the revision that Configuration shows."""
    profile = get_profile(user_of(request), slug)
    return profile_page(request, profile)


def profile_page(
    request: HttpRequest,
    profile: Profile,
    *,
    tab: str = "",
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page, after a refused act with the words of the refusal."""
    tab = tab or request.GET.get("tab", "configuration")
    if tab not in dict(TABS):
        raise Http404
    head = profile_head(profile, user_of(request), now=timezone.now())
    counts = {"revisions": head.newest, "examples": head.examples, "used-by": head.fleets}
    context: dict[str, Any] = {
        "head": head,
        "platform": platform_row(profile, now=timezone.now()),
        "follow": follow_state(profile, user_of(request)),
        "here": reverse("fleets:profile_detail", args=[profile.slug]),
        "tab": tab,
        "tabs": [(key, label, counts.get(key)) for key, label in TABS],
        "tab_template": f"profiles/_tab_{tab.replace('-', '_')}.html",
        "problem": problem,
        **_tab_context(request, profile, tab),
    }
    return htmx.render(
        request, "profiles/profile_detail.html", context, fragments=FRAGMENTS, status=status
    )


def _tab_context(request: HttpRequest, profile: Profile, tab: str) -> dict[str, Any]:
    if tab == "revisions":
        return {"page": revision_page(profile, before=_number(request, "before"))}
    if tab == "used-by":
        page = fleet_uses(profile, before=_number(request, "before"))
        return {"page": page, "definitions": definitions_of(profile)}
    if tab == "examples":
        return {"examples": example_list(profile), "trials": trial_list(profile)}
    if tab == "results":
        return {"results": revision_results(profile), "trial_turns": trial_turns(profile)}
    shown = configuration(profile, _number(request, "rev"))
    if shown is None:
        raise Http404
    return {"shown": shown}


def _number(request: HttpRequest, name: str) -> int | None:
    return parse_revision(request.GET.get(name, ""))
