"""Launching a definition: its recipe prefilled, its preflight, the launch."""

from dataclasses import replace
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from fleetdash import htmx
from fleets.access import get_definition, role_required, user_of
from fleets.domain.csv_rows import DELIMITERS, ENCODINGS
from fleets.domain.errors import Advice, Conflict, DomainError, InvalidInput, Problem
from fleets.domain.json_lines import MAX_BYTES
from fleets.domain.matrix import Matrix
from fleets.domain.preflight import preflight
from fleets.domain.spec import LaunchSpec
from fleets.domain.status import Role
from fleets.forms.definition_launch import DefinitionLaunchForm
from fleets.forms.launch import new_form_key
from fleets.models import Definition, User
from fleets.selectors.definition_check import body_of, recipe_of
from fleets.selectors.definition_drift import drift_of
from fleets.selectors.definition_launches import last_team
from fleets.selectors.definition_rows import shown_rows
from fleets.selectors.launch_options import launch_options
from fleets.services.actor import Actor
from fleets.services.launch import launch_fleet
from fleets.views.definition_rows import upload_of
from fleets.views.launch_input import TASKS_FILE, tasks_in
from fleets.views.launch_preview import Preview, account_of, panel

FRAGMENTS: Final = ("launch", "preflight")


@require_safe
@role_required(Role.OPERATOR)
def definition_launch(request: HttpRequest, slug: str) -> HttpResponse:
    """The form filled in as the definition says."""
    user = user_of(request)
    definition = get_definition(user, slug)
    options = launch_options(user)
    first = DefinitionLaunchForm.first(recipe_of(definition), options, team=last_team(definition))
    return _page(request, definition, _form(definition, user, first))


@require_POST
@role_required(Role.OPERATOR)
def definition_launch_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The preflight of what is typed so far; rows that were chosen are read and kept."""
    user = user_of(request)
    definition = get_definition(user, slug)
    typed = _typed(request)
    field, _, value = typed.pop("repair", "").partition("=")
    if field in DefinitionLaunchForm.base_fields:
        typed[field] = value
    upload = upload_of(request)
    typed |= upload.fields
    return _page(request, definition, _form(definition, user, typed, upload.problems))


@require_POST
@role_required(Role.OPERATOR)
def definition_launch_now(request: HttpRequest, slug: str) -> HttpResponse:
    """Launch it, once per form; refused with everything kept as typed."""
    user = user_of(request)
    definition = get_definition(user, slug)
    typed = _typed(request)
    upload = upload_of(request)
    form = _form(definition, user, typed | upload.fields, upload.problems)
    spec = _ready(form, definition, user)
    if spec is not None:
        try:
            fleet = launch_fleet(
                spec,
                actor=Actor.of(request),
                idempotency_key=form.cleaned_data["idempotency_key"],
                revision=form.revision,
            )
        except InvalidInput as error:
            form.add_problems(error.problems)
        except Conflict as error:
            form.add_error(None, error.message)
            form.data = {**form.data, "idempotency_key": new_form_key()}
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            return htmx.redirect(request, reverse("fleets:fleet_detail", args=[fleet.public_id]))
    return _page(request, definition, form, is_refused=True)


def _typed(request: HttpRequest) -> dict[str, str]:
    """The fields; a chosen file of tasks stands where its text would have been pasted."""
    typed = {name: str(value) for name, value in request.POST.items()}
    listed = request.FILES.get(TASKS_FILE)
    if listed is not None:
        typed["tasks"] = tasks_in(listed.read(MAX_BYTES + 1), name=listed.name or "")
    return typed


def _form(
    definition: Definition,
    user: User,
    data: dict[str, str],
    problems: tuple[Problem, ...] = (),
) -> DefinitionLaunchForm:
    assert definition.head is not None
    return DefinitionLaunchForm(
        definition.head, launch_options(user), data, user=user, problems=problems
    )


def _ready(form: DefinitionLaunchForm, definition: Definition, user: User) -> LaunchSpec | None:
    """The launch, once nothing stands against it."""
    if definition.archived_at is not None:
        form.is_valid()
        form.add_error(None, f"{definition.name} is archived: bring it back first.")
        return None
    if not form.is_valid() or form.expansion is None:
        return None
    spec = replace(form.expansion.spec, team_slug=form.typed("team"))
    found = preflight(spec, now=timezone.now(), account=account_of(user)).problems
    form.add_problems(Problem(advice.place, advice.message) for advice in found)
    return None if found else spec


def _beside(form: DefinitionLaunchForm) -> tuple[str, ...]:
    """What changes with the preflight: the act, and rows where the page has a place for them."""
    has_rows = form.recipe is not None and isinstance(form.recipe.agents, Matrix)
    return ("launch-act", "launch-rows") if has_rows else ("launch-act",)


def _with_drift(shown: Preview, form: DefinitionLaunchForm) -> Preview:
    """With the profiles that have moved on; to change that, the definition is edited."""
    found = drift_of(form.recipe) if form.recipe else []
    words = [replace(one, repairs=()) for one in found]
    return replace(shown, warnings=[*words, *shown.warnings])


def _kinds(form: DefinitionLaunchForm) -> dict[str, Any]:
    """What it launches, by what is saved: what is typed may be wrong."""
    body = body_of(form.revision)
    tasks = body.get("tasks")
    return {
        "only_machines": "machines" in body["agents"],
        "is_pool": tasks is not None,
        "tasks_kept": len(tasks) if isinstance(tasks, list) else 0,
    }


def _typed_advice(form: DefinitionLaunchForm) -> list[Advice]:
    """What is wrong, with the repairs that this form has a field for."""
    return [
        replace(
            one.as_advice, repairs=tuple(fix for fix in one.repairs if fix.field in form.fields)
        )
        for one in form.problems
    ]


def _page(
    request: HttpRequest,
    definition: Definition,
    form: DefinitionLaunchForm,
    *,
    is_refused: bool = False,
) -> HttpResponse:
    user = user_of(request)
    form.is_valid()
    expansion = form.expansion
    typed = _typed_advice(form)
    labels = {name: str(field.label) for name, field in form.fields.items()}
    labels["rows_file"] = "Rows"
    context: dict[str, Any] = {
        "definition": definition,
        "here": reverse("fleets:definition_detail", args=[definition.slug]),
        "form": form,
        "options": form.options,
        "is_refused": is_refused,
        "preview": _with_drift(
            panel(
                expansion.spec if expansion else None,
                user,
                now=timezone.now(),
                typed=typed,
                labels=labels,
                fields=form.fields,
            ),
            form,
        ),
        "rows": shown_rows(form.stored, form.table) if form.stored and form.table else None,
        **_kinds(form),
        "asks_for_rows": form.recipe is not None and form.recipe.asks_for_rows,
        "delimiters": DELIMITERS.items(),
        "encodings": ENCODINGS,
    }
    return htmx.render(
        request,
        "definitions/definition_launch.html",
        context,
        fragments=FRAGMENTS,
        oob=_beside(form) if htmx.target_id(request) == "preflight" else (),
        status=422 if is_refused else 200,
    )
