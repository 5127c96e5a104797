"""Exporting profiles: what is chosen and in which form, then the file."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from fleetdash import htmx
from fleets.access import role_required, user_of
from fleets.domain.errors import DomainError, OverLimit
from fleets.domain.profile_export import Form, export_profiles
from fleets.domain.status import Role
from fleets.selectors.profile_export import chosen_slugs, entries_of
from fleets.selectors.profile_filter import ProfileFilter
from fleets.services import audit
from fleets.services.actor import Actor

_FORMS: Final = (
    (Form.JSON, "JSON", "one file, every field as it is stored"),
    (Form.YAML, "YAML", "one file that people read, at most 128 KiB"),
    (Form.JSON_ZIP, "Zip of JSON files", "a file for each profile"),
    (Form.YAML_ZIP, "Zip of YAML files", "a file for each profile"),
)
_SHOWN: Final = 12


@require_safe
@role_required(Role.VIEWER)
def profile_export(request: HttpRequest) -> HttpResponse:
    """How many profiles the filter (or `slug`) means, and the forms to have them in."""
    return _page(request)


@require_safe
@role_required(Role.VIEWER)
def profile_export_file(request: HttpRequest) -> HttpResponse:
    """The file; what no import could read back is refused with another form."""
    try:
        form = Form(request.GET.get("form", Form.JSON))
        slugs = _slugs(request)
        file = export_profiles(entries_of(slugs), form=form)
    except ValueError:
        return _page(request, problem="There is no such form of export.")
    except OverLimit as error:
        better = error.repairs[0].value if error.repairs else ""
        return _page(request, problem=error.message, better=better)
    except DomainError as error:
        return _page(request, problem=error.message)
    audit.record(
        "profile.export",
        actor=Actor.of(request),
        object_type="profile",
        object_id=slugs[0] if len(slugs) == 1 else f"{len(slugs)} profiles",
        after={"form": form.value, "profiles": slugs[:200]},
    )
    response = HttpResponse(file.content, content_type=file.content_type)
    response["Content-Disposition"] = f'attachment; filename="{file.name}"'
    response["Cache-Control"] = "no-store"
    return response


def _page(request: HttpRequest, *, problem: str = "", better: str = "") -> HttpResponse:
    slugs = _slugs(request)
    chosen = request.GET.get("form", Form.JSON.value)
    context: dict[str, Any] = {
        "problem": problem,
        "form": better or (chosen if chosen in list(Form) else Form.JSON.value),
        "forms": _FORMS if len(slugs) > 1 else _FORMS[:2],
        "count": len(slugs),
        "shown": slugs[:_SHOWN],
        "more": len(slugs) - _SHOWN,
        "words": ProfileFilter.of(request.GET.dict()).words,
        "hidden": [pair for pair in _pairs(request) if pair[0] != "form"],
    }
    status = 422 if problem else 200
    return htmx.render(request, "profiles/profile_export.html", context, status=status)


def _slugs(request: HttpRequest) -> list[str]:
    chosen = ProfileFilter.of(request.GET.dict())
    return chosen_slugs(chosen, request.GET.getlist("slug"), user_of(request))


def _pairs(request: HttpRequest) -> list[tuple[str, str]]:
    return [(name, value) for name in request.GET for value in request.GET.getlist(name)]
