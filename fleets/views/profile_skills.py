"""Texts that several profiles bring along: all of them by content, and one with who has it."""

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.status import Role
from fleets.selectors.list_query import given_words
from fleets.selectors.profile_following import unseen_count
from fleets.selectors.shared_texts import difference, shared_text, texts_page
from fleets.services.profile_texts import read_missing_texts

SHOWN: Final = ("", "shared", "alike")


@require_safe
@role_required(Role.VIEWER)
def profile_skills(request: HttpRequest) -> HttpResponse:
    """Contents by use; same names with other content beside each other."""
    given = given_words(request.GET.dict(), ("q", "show"))
    show = given["show"] if given["show"] in SHOWN else ""
    read_missing_texts()
    context: dict[str, Any] = {
        "page": texts_page(q=given["q"], show=show),
        "q": given["q"],
        "show": show,
        "unseen": unseen_count(user_of(request)),
    }
    return htmx.render(request, "profiles/profile_skills.html", context)


@require_safe
@role_required(Role.VIEWER)
def profile_skill(request: HttpRequest, digest: str) -> HttpResponse:
    """One content and who has it; `with` shows how it differs from another."""
    read_missing_texts()
    found = shared_text(digest)
    if found is None:
        raise Http404
    context: dict[str, Any] = {
        "found": found,
        "text": difference(found, request.GET.get("with", "")),
    }
    return htmx.render(request, "profiles/profile_skill.html", context)
