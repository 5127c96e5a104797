"""A definition as a file: its source, or the agents that it makes."""

import json
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from fleets.access import get_definition, role_required, user_of
from fleets.domain.errors import InvalidInput
from fleets.domain.status import Role
from fleets.domain.yaml_text import write_yaml
from fleets.selectors.definition_agents import agents_of
from fleets.selectors.definition_check import body_of

TYPES: Final = {"json": "application/json", "yaml": "application/yaml"}


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
    text = json.dumps(agents, ensure_ascii=False, indent=2) + "\n"
    return _file(text, f"{slug}-agents.json", TYPES["json"])


def _file(text: str, name: str, content_type: str) -> HttpResponse:
    response = HttpResponse(text, content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
