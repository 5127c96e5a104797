"""Which revision a form is about."""

from django.http import HttpRequest

from fleets.domain.errors import InvalidInput
from fleets.domain.number_input import parse_revision


def posted_number(request: HttpRequest) -> int:
    """The `number` of a form, with or without its r. Raises InvalidInput."""
    number = parse_revision(request.POST.get("number", ""))
    if number is None:
        raise InvalidInput.at("number", "Say which revision, by its number.")
    return number
