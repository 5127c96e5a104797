"""The editor's page: the text as form or source, what is wrong with it, and who was faster."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from fleetdash import htmx
from fleets.access import user_of
from fleets.domain.changed_texts import changed_texts
from fleets.domain.harnesses import HARNESSES
from fleets.domain.prices import OFFERED_MODELS
from fleets.domain.profile_diff import field_changes
from fleets.domain.profile_document import Document
from fleets.domain.profile_form import NEW, FormField, fields_of
from fleets.domain.profile_form_lines import KINDS
from fleets.domain.profile_merge import Merge
from fleets.domain.profile_problems import ProfileProblem
from fleets.domain.profile_schema.profile import EFFORTS
from fleets.models import Profile
from fleets.selectors.profile_editor import body_of, surroundings
from fleets.views.profile_editing import Edited

FRAGMENTS: Final = {
    "profile-editor": "profile-editor",
    "profile-problems": "profiles/_problems.html",
}
_IN_FORM: Final = frozenset(
    {"name", "description", "tags", "harness", "model", "prompt", "permissions", "tools", "mcp"}
)
_MOST_PROBLEMS: Final = 50


@dataclass(frozen=True, slots=True)
class ShownProblem:
    """A problem with the way to it: a field of the form, or a line of the source."""

    line: int
    path: str
    message: str
    suggestion: str
    field: str


@dataclass(frozen=True, slots=True)
class Group:
    """The fields of one skill or server, by their part; `key` is how their names begin."""

    key: str
    fields: Mapping[str, FormField]
    is_new: bool
    is_locked: bool


def editor_page(
    request: HttpRequest,
    profile: Profile | None,
    edited: Edited,
    *,
    compares: bool = False,
    merged: Merge | None = None,
    is_refused: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The whole page, or under HTMX the editor or its problems alone."""
    document = edited.document
    around = surroundings(profile, user_of(request), base=edited.base, now=timezone.now())

    context: dict[str, Any] = {
        "profile": profile,
        "edited": edited,
        "document": document,
        "around": around,
        "next_number": around.newest + 1,
        "here": _address(profile),
        "shows_form": edited.shows_form,
        "problems": list(_problems(edited))[:_MOST_PROBLEMS],
        "is_refused": is_refused,
        "merged": merged,
    }
    if htmx.fragment_for(request, FRAGMENTS) != FRAGMENTS["profile-problems"]:
        context |= _form_context(document) if edited.shows_form else {}
        if compares and profile is not None:
            context |= _comparison(profile, edited)
    return htmx.render(
        request,
        "profiles/profile_edit.html",
        context,
        fragments=FRAGMENTS,
        oob=("profile-save",) if htmx.target_id(request) == "profile-problems" else (),
        status=status,
    )


def _address(profile: Profile | None) -> str:
    if profile is None:
        return reverse("fleets:profile_new")
    return reverse("fleets:profile_detail", args=[profile.slug])


def _form_context(document: Document) -> dict[str, Any]:
    fields = fields_of(document.body)
    return {
        "fields": fields,
        "instructions": [one for name, one in fields.items() if name.startswith("instructions-")],
        "skills": _groups(fields, "skill"),
        "servers": _groups(fields, "mcp"),
        "harnesses": list(HARNESSES),
        "efforts": EFFORTS,
        "models": OFFERED_MODELS,
        "kinds": KINDS,
        "elsewhere": sorted(_elsewhere(document.body)),
    }


def _groups(fields: Mapping[str, FormField], start: str) -> list[Group]:
    found: dict[str, dict[str, FormField]] = {}
    for name, field in fields.items():
        if name.startswith(f"{start}-"):
            key, _, part = name.rpartition("-")
            found.setdefault(key, {})[part] = field
    return [
        Group(key, parts, key.endswith(NEW), any(one.is_locked for one in parts.values()))
        for key, parts in found.items()
    ]


def _elsewhere(body: Mapping[str, Any]) -> Iterator[str]:
    """What the profile has that the form does not show."""
    yield from (name for name in body if name not in _IN_FORM and name != "resources")
    resources = body.get("resources")
    if isinstance(resources, Mapping):
        yield from (f"resources.{name}" for name in resources if name != "skills")


def _problems(edited: Edited) -> Iterator[ShownProblem]:
    document = edited.document
    fields = list(fields_of(document.body).values()) if edited.shows_form else []
    for line, problem in document.problems:
        yield ShownProblem(
            line=line,
            path=problem.shown_path,
            message=problem.words,
            suggestion=problem.suggestion,
            field=_field_of(problem, fields),
        )


def _field_of(problem: ProfileProblem, fields: list[FormField]) -> str:
    near = [one for one in fields if problem.path[: len(one.path)] == one.path]
    # A server's five fields share its place, a skill's two have each their own.
    near = near or [one for one in fields if problem.path and one.path[:2] == problem.path[:2]]
    return near[0].name if near else ""


def _comparison(profile: Profile, edited: Edited) -> dict[str, Any]:
    """What this person changed, against the newest revision."""
    theirs = body_of(profile, profile.newest)
    changes = field_changes(theirs, edited.document.body) if edited.document.body else ()
    return {"changes": changes, "texts": changed_texts(changes)}
