"""One change for many profiles: chosen, shown what it would do, then done."""

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.errors import AlreadySo, Conflict, InvalidInput, NotAllowed
from fleets.domain.harnesses import HARNESSES
from fleets.domain.number_input import parse_whole
from fleets.domain.profile_change import ChangeKind, ProfileChange
from fleets.domain.profile_change_form import read_change
from fleets.domain.profile_parts import text_digest
from fleets.domain.profile_paths import FIELD_NAMES
from fleets.domain.status import Role
from fleets.selectors.bulk_selection import MOST_PROFILES, BulkSelection
from fleets.selectors.profile_bulk import BulkPreview, judged, offer_of, selected_profiles
from fleets.selectors.profile_bulk_record import bulk_changes
from fleets.selectors.shared_texts import text_of
from fleets.services.actor import Actor
from fleets.services.profile_bulk import BulkOrder, change_profiles, new_bulk_id
from fleets.services.profiles import LONGEST_NOTE

KINDS: Final = (
    (ChangeKind.MODEL, "Replace a model"),
    (ChangeKind.HARNESS, "Change the harness"),
    (ChangeKind.FIELD, "Set a field"),
    (ChangeKind.UNSET, "Take a field away"),
    (ChangeKind.TEXT, "Replace a text in instructions and prompts"),
    (ChangeKind.ADD_TAG, "Add a tag"),
    (ChangeKind.REMOVE_TAG, "Take a tag away"),
    (ChangeKind.HOST, "Replace the host of MCP servers"),
    (ChangeKind.SKILL, "Replace a skill or file by its content"),
)


def form_again(request: HttpRequest) -> str:
    """The form for the same profiles, for somebody who was signed out meanwhile."""
    pairs = [*_selection(request.POST).pairs, ("kind", request.POST.get("kind", ""))]
    return f"{reverse('fleets:profile_bulk')}?{urlencode(pairs)}"


@require_safe
@role_required(Role.OPERATOR)
def profile_bulk(request: HttpRequest) -> HttpResponse:
    """The form for the profiles that the address means; what was changed lately below it."""
    typed = {name: request.GET.get(name, "") for name in request.GET}
    if typed.get("kind") == ChangeKind.SKILL and "skill_new" not in typed:
        typed["skill_new"] = text_of(typed.get("skill_old", "")) or ""
    return _page(request, _selection(request.GET), typed=typed)


@require_POST
@role_required(Role.OPERATOR, back=form_again)
def profile_bulk_preview(request: HttpRequest) -> HttpResponse:
    """What the change would do, profile by profile; nothing is written."""
    selection = _selection(request.POST)
    try:
        change = read_change(request.POST.dict())
    except InvalidInput as error:
        return _page(request, selection, error=error, status=422)
    return _page(request, selection, change=change)


@require_POST
@role_required(Role.OPERATOR, back=form_again)
def profile_bulk_confirm(request: HttpRequest) -> HttpResponse:
    """Do what was shown to the profiles that are ticked, or show how it stands now."""
    selection = _selection(request.POST)
    try:
        change = read_change(request.POST.dict())
        if _digest(change) != request.POST.get("shown", ""):
            words = "The change is not the one that was shown: this is what it would do."
            return _page(request, selection, change=change, problem=words, status=409)
        _must_not_have_grown(request, selection)
        bulk = change_profiles(_order(request.POST, selection, change), actor=Actor.of(request))
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except AlreadySo as error:
        messages.info(request, error.message)
        return htmx.redirect(request, reverse("fleets:profile_bulk_change", args=[error.state]))
    except InvalidInput as error:
        is_sound = error.problems[0].place in ("note", "take")
        shown = read_change(request.POST.dict()) if is_sound else None
        return _page(request, selection, change=shown, error=error, status=422)
    except Conflict as error:
        return _page(request, selection, change=change, problem=error.message, status=409)
    return htmx.redirect(request, reverse("fleets:profile_bulk_change", args=[bulk.public_id]))


def _selection(params: QueryDict) -> BulkSelection:
    words = {name: params.get(name, "") for name in params}
    return BulkSelection.of(words, slugs=params.getlist("slug"))


def _must_not_have_grown(request: HttpRequest, selection: BulkSelection) -> None:
    words = _grown(selection, selection.profiles(user_of(request)).count())
    if words:
        raise Conflict(words)


def _grown(selection: BulkSelection, now: int) -> str:
    """The sentence that says so when the filter finds more than the person saw, else ""."""
    if selection.is_by_hand or selection.count is None or now <= selection.count:
        return ""
    return (
        f"Nothing was changed: {selection.count} matched when you looked, and {now} match now. "
        "This is how it stands."
    )


def _digest(change: ProfileChange) -> str:
    return text_digest(json.dumps(change.as_json, sort_keys=True))


def _order(posted: QueryDict, selection: BulkSelection, change: ProfileChange) -> BulkOrder:
    seen: dict[str, int] = {}
    for one in posted.get("seen", "").split():
        slug, _, number = one.partition(":")
        found = parse_whole(number)
        if found is not None and len(seen) < MOST_PROFILES:
            seen[slug] = found
    return BulkOrder(
        public_id=_bulk_id(posted),
        change=change,
        seen=seen,
        taken=frozenset(posted.getlist("take")),
        selection=selection.words,
        note=posted.get("note", "").strip(),
        is_published=posted.get("publish") != "draft",
    )


def _bulk_id(posted: Mapping[str, str]) -> str:
    given = posted.get("bulk_id", "")
    is_ours = given.startswith("bulk-") and given.isascii() and len(given) <= 40
    return given if is_ours and given.replace("-", "").isalnum() else new_bulk_id()


def _page(
    request: HttpRequest,
    selection: BulkSelection,
    *,
    change: ProfileChange | None = None,
    typed: Mapping[str, str] | None = None,
    error: InvalidInput | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """The form with what was typed, and below it what the change would do, if there is one."""
    user = user_of(request)
    found = selected_profiles(selection, user)
    is_too_many = len(found) > MOST_PROFILES
    count = selection.profiles(user).count() if is_too_many else len(found)
    problem = problem or (_grown(selection, count) if request.method == "POST" else "")
    preview = None
    if change is not None and not is_too_many:
        preview = judged(found, change, user, now=timezone.now())
    posted = request.POST if request.method == "POST" else QueryDict()
    typed = typed if typed is not None else request.POST.dict()
    context: dict[str, Any] = {
        "selection": selection,
        "count": count,
        "is_too_many": is_too_many,
        "most": MOST_PROFILES,
        "offer": offer_of([] if is_too_many else found, count=count),
        "kinds": KINDS,
        "harnesses": HARNESSES,
        "field_names": FIELD_NAMES,
        "typed": {"kind": ChangeKind.MODEL.value, **typed},
        "error": error.problems[0] if error else None,
        "problem": problem,
        "longest_note": LONGEST_NOTE,
        "recent": bulk_changes() if preview is None else (),
        **_shown(preview, change, posted, problem=problem),
    }
    grown = bool(problem) and status == 200
    return htmx.render(
        request, "profiles/profile_bulk.html", context, status=409 if grown else status
    )


def _shown(
    preview: BulkPreview | None, change: ProfileChange | None, posted: QueryDict, *, problem: str
) -> dict[str, Any]:
    if preview is None or change is None:
        return {"preview": None}
    changed = preview.changed
    slugs = {row.profile.slug for row in changed}
    was_shown = posted.get("shown") == _digest(change) and "seen" in posted
    before = {one.partition(":")[0] for one in posted.get("seen", "").split()}
    # What was unticked stays so; what is new since the last look is ticked like all others.
    unticked = (before - set(posted.getlist("take"))) if was_shown else set()
    return {
        "preview": preview,
        "change": change,
        "digest": _digest(change),
        "bulk_id": new_bulk_id(),
        "taken": slugs - unticked,
        "seen": " ".join(f"{row.profile.slug}:{row.number or 0}" for row in preview.rows),
        "note": posted.get("note", ""),
        "as_draft": posted.get("publish") == "draft",
    }
