"""Importing profiles: upload or paste, see what would happen, confirm."""

from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.errors import (
    AlreadySo,
    Conflict,
    DomainError,
    InvalidInput,
    NotAllowed,
    NotFoundHere,
)
from fleets.domain.number_input import parse_whole
from fleets.domain.profile_import.upload import MAX_ARCHIVE_BYTES, MAX_FILES
from fleets.domain.status import Role
from fleets.models import Catalog, ProfileImport
from fleets.selectors.profile_import import catalogs_of, import_preview, imports_of
from fleets.services.actor import Actor
from fleets.services.profile_import import Choice, confirm_import, discard_import, keep_import
from fleets.services.profiles import LONGEST_NOTE, ORGANISATION_SLUG, organisation_catalog
from fleets.views.profile_upload import TEXT, found_in

FRAGMENTS: Final = ("profile-import",)
_DIGITS: Final = 6


@require_safe
@role_required(Role.OPERATOR)
def profile_import(request: HttpRequest) -> HttpResponse:
    """Where files are chosen, and what of the last hour waits to be confirmed."""
    return _upload_page(request)


@require_POST
@role_required(Role.OPERATOR)
def profile_import_read(request: HttpRequest) -> HttpResponse:
    """Read what came and go on to its preview; nothing is written to the catalog."""
    try:
        kept = keep_import(found_in(request), catalog=_catalog(request), actor=Actor.of(request))
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except InvalidInput as error:
        return _upload_page(request, problem=error.problems[0].message)
    except DomainError as error:
        return _upload_page(request, problem=error.message)
    return htmx.redirect(request, _address(kept))


@require_safe
@role_required(Role.OPERATOR)
def profile_import_preview(request: HttpRequest, import_id: str) -> HttpResponse:
    """What confirming would do, row by row; afterwards what it did."""
    return _preview_page(request, _kept(request, import_id))


@require_POST
@role_required(Role.OPERATOR)
def profile_import_confirm(request: HttpRequest, import_id: str) -> HttpResponse:
    """Write the chosen profiles; refused with every tick kept."""
    kept = _kept(request, import_id)
    try:
        kept = confirm_import(
            kept,
            _choice(request.POST),
            note=request.POST.get("note", "").strip(),
            publish=request.POST.get("publish") != "draft",
            actor=Actor.of(request),
        )
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    except NotFoundHere:
        raise Http404 from None
    except AlreadySo as error:
        messages.info(request, error.message)
    except InvalidInput as error:
        words = [problem.message for problem in error.problems]
        return _preview_page(request, kept, problems=words, status=422)
    except Conflict as error:
        return _preview_page(request, kept, problems=[error.message], status=409)
    return htmx.redirect(request, _address(kept))


@require_POST
@role_required(Role.OPERATOR)
def profile_import_discard(request: HttpRequest, import_id: str) -> HttpResponse:
    """Forget what was read."""
    try:
        discard_import(_kept(request, import_id), actor=Actor.of(request))
    except DomainError as error:
        messages.info(request, error.message)
    else:
        messages.info(request, "Forgotten. Nothing was imported.")
    return htmx.redirect(request, reverse("fleets:profile_import"))


def _upload_page(request: HttpRequest, *, problem: str = "") -> HttpResponse:
    user = user_of(request)
    context: dict[str, Any] = {
        "problem": problem,
        "text": request.POST.get(TEXT, ""),
        "catalogs": catalogs_of(user),
        "chosen_catalog": request.POST.get("catalog", ORGANISATION_SLUG),
        "waiting": imports_of(user, now=timezone.now()),
        "most_files": MAX_FILES,
        "most_archive_mib": MAX_ARCHIVE_BYTES >> 20,
    }
    status = 422 if problem else 200
    return htmx.render(request, "profiles/profile_import.html", context, status=status)


def _preview_page(
    request: HttpRequest,
    kept: ProfileImport,
    *,
    problems: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    preview = import_preview(kept, user_of(request))
    choice = _choice(request.POST) if request.method == "POST" else None
    context: dict[str, Any] = {
        "kept": kept,
        "preview": preview,
        "problems": problems,
        "taken": choice.taken if choice else {row.at for row in preview.rows if row.may_be_taken},
        "accepted": choice.accepted if choice else frozenset(),
        "note": request.POST.get("note", ""),
        "as_draft": request.POST.get("publish") == "draft",
        "longest_note": LONGEST_NOTE,
    }
    return htmx.render(
        request,
        "profiles/profile_import_preview.html",
        context,
        fragments=FRAGMENTS,
        status=status,
    )


def _choice(data: QueryDict) -> Choice:
    taken = _numbers(data.getlist("take"))
    seen = {
        at: number for at in taken if (number := _number(data.get(f"seen-{at}", ""))) is not None
    }
    return Choice(taken, _numbers(data.getlist("accept")), seen)


def _numbers(values: list[str]) -> frozenset[int]:
    return frozenset(number for value in values if (number := _number(value)) is not None)


def _number(value: str) -> int | None:
    return parse_whole(value, most_digits=_DIGITS)


def _catalog(request: HttpRequest) -> Catalog:
    slug = request.POST.get("catalog", "")
    if not slug:
        return organisation_catalog()
    found = Catalog.objects.filter(slug=slug).first()
    if found is None:
        raise InvalidInput.at("catalog", "There is no such catalog.")
    return found


def _kept(request: HttpRequest, import_id: str) -> ProfileImport:
    """The person's own (admins: anybody's), as long as it is kept. Raises `Http404`."""
    user = user_of(request)
    found = ProfileImport.objects.select_related("catalog").filter(
        public_id=import_id, expires_at__gt=timezone.now()
    )
    kept = found.first() if user.is_admin else found.filter(user=user).first()
    if kept is None:
        raise Http404
    return kept


def _address(kept: ProfileImport) -> str:
    return reverse("fleets:profile_import_preview", args=[kept.public_id])
