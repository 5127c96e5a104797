"""The editor of a profile: form and source over one text, checked while it is typed, saved once.

What is typed is kept as a draft of the person with every look; nothing is lost by a late save.
"""

from dataclasses import replace
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import get_profile, role_required, user_of
from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed
from fleets.domain.profile_document import write_document
from fleets.domain.profile_merge import Choice, Merge, merge
from fleets.domain.status import Role
from fleets.models import Catalog, Profile, User
from fleets.selectors.profile_editor import body_of
from fleets.selectors.profile_page import may_edit
from fleets.services.actor import Actor
from fleets.services.profile_drafts import drop_draft, keep_draft
from fleets.services.profiles import (
    create_profile,
    organisation_catalog,
    publish_revision,
    save_revision,
)
from fleets.views.profile_editing import Edited, opened, sent, turned
from fleets.views.profile_editor_page import editor_page

NEW: Final = "new"


def edit_again(request: HttpRequest) -> str:
    """The editor's own address: what was typed waits there as a draft."""
    return request.path.rpartition("/")[0] + "/edit"


@require_safe
@role_required(Role.OPERATOR)
def profile_new(request: HttpRequest) -> HttpResponse:
    """The editor of a profile that is not there yet."""
    organisation_catalog()
    return editor_page(request, None, opened(request, None, user_of(request)))


@require_safe
@role_required(Role.OPERATOR)
def profile_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """The editor, with what this person was typing, or with the newest revision."""
    profile = _editable(request, slug)
    return editor_page(request, profile, opened(request, profile, user_of(request)))


@require_POST
@role_required(Role.OPERATOR, back=edit_again)
def profile_look(request: HttpRequest, slug: str) -> HttpResponse:
    """Check, turn (form, source, JSON, YAML), repair, compare or rebase what is typed."""
    profile = _editable(request, slug)
    act = request.POST.get("act", "")
    edited = turned(sent(request), act, request.POST.get("fix", ""))
    if profile is not None and act == "rebase":
        return _rebase(request, profile, edited)
    _keep(profile, user_of(request), edited)
    return editor_page(request, profile, edited, compares=act == "compare")


@require_POST
@role_required(Role.OPERATOR, back=edit_again)
def profile_save(request: HttpRequest, slug: str) -> HttpResponse:
    """Save as the next revision; `act` publish makes it the head at once."""
    profile = _editable(request, slug)
    edited = sent(request)
    if not edited.document.is_sound:
        _keep(profile, user_of(request), edited)
        return editor_page(request, profile, edited, is_refused=True, status=422)
    try:
        saved = _save(request, profile, edited, publish=request.POST.get("act") == "publish")
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except InvalidInput as error:
        edited = replace(edited, said=" ".join(one.message for one in error.problems))
        return editor_page(request, profile, edited, is_refused=True, status=422)
    except Conflict:
        _keep(profile, user_of(request), edited)
        profile = get_profile(user_of(request), slug)
        return editor_page(request, profile, edited, status=409)
    drop_draft(profile, user=user_of(request))
    return htmx.redirect(request, reverse("fleets:profile_detail", args=[saved.slug]))


@require_POST
@role_required(Role.OPERATOR)
def profile_discard(request: HttpRequest, slug: str) -> HttpResponse:
    """Forget what this person was typing."""
    profile = _editable(request, slug)
    if drop_draft(profile, user=user_of(request)):
        messages.success(request, "Your unsaved changes are gone.")
    there = reverse("fleets:profile_detail", args=[slug]) if profile else None
    return htmx.redirect(request, there or reverse("fleets:profile_list"))


def _save(
    request: HttpRequest, profile: Profile | None, edited: Edited, *, publish: bool
) -> Profile:
    """Save and say so. What differs in nothing is published if that was asked."""
    actor = Actor.of(request)
    if profile is None:
        catalog = Catalog.objects.filter(slug=edited.catalog).first() or organisation_catalog()
        made = create_profile(
            catalog=catalog,
            body=edited.document.body,
            slug=edited.slug,
            note=edited.note,
            actor=actor,
            publish=publish,
        )
        messages.success(request, f"{made.name} is in the catalog.")
        return made
    try:
        revision = save_revision(
            profile,
            body=edited.document.body,
            base=edited.base,
            note=edited.note,
            actor=actor,
            publish=publish,
        )
    except AlreadySo as error:
        if publish and profile.newest > (profile.head.number if profile.head else 0):
            publish_revision(profile, number=profile.newest, actor=actor)
            messages.success(request, f"r{profile.newest} is the head now.")
        else:
            messages.info(request, error.message)
        return profile
    words = "the head now" if publish else "saved, a draft until you publish it"
    messages.success(request, f"r{revision.number} is {words}.")
    return profile


def _rebase(request: HttpRequest, profile: Profile, edited: Edited) -> HttpResponse:
    """Bring the person's changes onto the newest revision; conflicts are asked, none is guessed."""
    if edited.document.body is None:
        said = "First repair what is wrong with the source: it cannot be compared yet."
        return editor_page(request, profile, replace(edited, said=said), status=422)
    choices = {
        name.removeprefix("choice:"): Choice(value)
        for name, value in request.POST.items()
        if name.startswith("choice:") and value in list(Choice)
    }
    merged: Merge = merge(
        body_of(profile, edited.base),
        mine=edited.document.body,
        theirs=body_of(profile, profile.newest),
        choices=choices,
    )
    if not merged.is_decided:
        _keep(profile, user_of(request), edited)
        return editor_page(request, profile, edited, merged=merged)
    document = write_document(merged.body, edited.document.syntax)
    said = f"Your changes are on r{profile.newest} now. Look them over, then save."
    edited = replace(edited, document=document, base=profile.newest, said=said)
    _keep(profile, user_of(request), edited)
    return editor_page(request, profile, edited)


def _keep(profile: Profile | None, user: User, edited: Edited) -> None:
    """Keep what is typed, unless it says no more than what it started from, or holds a secret."""
    document = edited.document
    if document.has_secret:
        return
    base: dict[str, Any] = body_of(profile, edited.base) if profile else {}
    if document.body == base and not edited.note:
        drop_draft(profile, user=user)
        return
    keep_draft(profile, user=user, typed=edited.typed)


def _editable(request: HttpRequest, slug: str) -> Profile | None:
    """The profile, None for a new one. Refused unless this person may write in its catalog."""
    if slug == NEW:
        return None
    profile = get_profile(user_of(request), slug)
    if not may_edit(user_of(request), profile):
        raise PermissionDenied(
            f"The catalog {profile.catalog.name} belongs to a team that you are not in. "
            "Ask its team or an admin."
        )
    return profile
