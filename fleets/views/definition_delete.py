"""Deleting a definition: its id typed and a reason; its fleets stay."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fleetdash import htmx
from fleets.access import get_definition, role_required, user_of
from fleets.domain.errors import NotAllowed
from fleets.domain.status import Role
from fleets.forms.typed_id import TypedIdForm
from fleets.models import Definition
from fleets.selectors.definition_page import definition_head
from fleets.services.actor import Actor
from fleets.services.definitions import delete_definition
from fleets.views.delete import form_again
from fleets.views.fresh_login import must_be_fresh


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.OPERATOR, back=form_again)
def definition_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """What would go, and the form; posted with the definition's id it is done."""
    user = user_of(request)
    definition = get_definition(user, slug)
    head = definition_head(definition, user, now=timezone.now())
    if not head.may_delete:
        raise PermissionDenied(
            f"Definitions are deleted by their owner ({head.owner or 'nobody'}) or an admin. "
            "You may archive it."
        )
    must_be_fresh(request)
    if request.method != "POST":
        first = {"reason": request.GET.get("reason", "")}
        return _page(request, definition, TypedIdForm(noun="definition", slug=slug, initial=first))
    form = TypedIdForm(request.POST, noun="definition", slug=slug)
    if not form.is_valid():
        return _page(request, definition, form, status=422)
    try:
        reason = form.cleaned_data["reason"]
        delete_definition(definition, actor=Actor.of(request), reason=reason)
    except NotAllowed as error:
        raise PermissionDenied(error.message) from None
    messages.success(request, f"{slug} is deleted.")
    return htmx.redirect(request, reverse("fleets:definition_list"))


def _page(
    request: HttpRequest, definition: Definition, form: TypedIdForm, *, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "head": definition_head(definition, user_of(request), now=timezone.now()),
        "here": reverse("fleets:definition_detail", args=[definition.slug]),
        "form": form,
    }
    return htmx.render(request, "definitions/definition_delete.html", context, status=status)
