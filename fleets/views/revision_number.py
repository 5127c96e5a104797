"""Which revision a form is about."""

from django.http import HttpRequest

from fleets.domain.errors import InvalidInput


def posted_number(request: HttpRequest) -> int:
    """The `number` of a form, with or without its r. Raises InvalidInput."""
    text = request.POST.get("number", "").removeprefix("r")
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise InvalidInput.at("number", "Say which revision, by its number.")
