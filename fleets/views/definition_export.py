"""A definition as a file: its source, or the agents that it makes; and all of them as a list."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from fleets.access import get_definition, role_required, user_of
from fleets.domain.agents_export import agents_text
from fleets.domain.errors import InvalidInput
from fleets.domain.status import Role
from fleets.domain.yaml_text import write_yaml
from fleets.selectors.definition_agents import agents_of
from fleets.selectors.definition_check import body_of
from fleets.selectors.definition_filter import DefinitionFilter
from fleets.selectors.definition_records import definition_records
from fleets.views.list_file import list_file

TYPES: Final = {"json": "application/json", "yaml": "application/yaml"}


@require_safe
@role_required(Role.VIEWER)
def definition_list_export(request: HttpRequest) -> HttpResponseBase:
    """A file of every definition that the filter finds; `format` is csv or json."""
    chosen = DefinitionFilter.of(request.GET.dict())
    return list_file(
        definition_records(chosen, user_of(request)),
        name="definitions",
        kind=request.GET.get("format", "csv"),
        filter_query=chosen.query(),
        columns=("id", "name"),
        now=timezone.now(),
    )


@require_safe
@role_required(Role.VIEWER)
def definition_source(request: HttpRequest, slug: str, syntax: str) -> HttpResponse:
    """The document of the newest revision, as JSON or YAML."""
    definition = get_definition(user_of(request), slug)
    if syntax not in TYPES or definition.head is None:
        raise Http404
    body = definition.head.body + "\n"
    text = body if syntax == "json" else write_yaml(body_of(definition.head))
    return _file(text, f"{slug}-r{definition.head.number}.{syntax}", TYPES[syntax])


@require_safe
@role_required(Role.VIEWER)
def definition_agents(request: HttpRequest, slug: str) -> HttpResponse:
    """Every agent with its own prompt, in the platform's shape (contract 4.2)."""
    user = user_of(request)
    definition = get_definition(user, slug)
    assert definition.head is not None
    try:
        agents = agents_of(body_of(definition.head), user=user)
    except InvalidInput as error:
        words = "\n".join(str(problem) for problem in error.problems)
        return HttpResponse(words, status=422, content_type="text/plain; charset=utf-8")
    return _file(agents_text(agents), f"{slug}-agents.json", TYPES["json"])


def _file(text: str, name: str, content_type: str) -> HttpResponse:
    response = HttpResponse(text, content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
