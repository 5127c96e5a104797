"""The difference of two revisions."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.number_input import parse_revision
from fleets.domain.status import Role
from fleets.models import Profile
from fleets.selectors.profile_compare import compare
from fleets.selectors.profile_page import profile_head


@require_safe
@role_required(Role.VIEWER)
def profile_diff(request: HttpRequest, slug: str) -> HttpResponse:
    """`a` against `b`; left out, the head against what came before it, or the draft."""
    user = user_of(request)
    profile = get_profile(user, slug)
    before, after = _sides(request, profile)
    by_source = request.GET.get("what") == "text"
    shown = compare(profile, before=before, after=after, by_source=by_source)
    if shown is None:
        raise Http404
    context: dict[str, Any] = {
        "head": profile_head(profile, user, now=timezone.now()),
        "here": reverse("fleets:profile_detail", args=[slug]),
        "shown": shown,
        "by_source": by_source,
        "is_unified": request.GET.get("view") == "unified",
        "numbers": range(profile.newest, 0, -1),
    }
    return htmx.render(request, "profiles/profile_diff.html", context)


def _sides(request: HttpRequest, profile: Profile) -> tuple[int, int]:
    head = profile.head.number if profile.head else 1
    after = _number(request.GET.get("b", "")) or profile.newest
    fallback = head if head < after else max(1, after - 1)
    return _number(request.GET.get("a", "")) or fallback, after


def _number(text: str) -> int:
    return parse_revision(text) or 0
