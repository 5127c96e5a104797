"""A successful answer, and how a resource turns its body into a type."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from fleets.platform_api.errors import CallFacts, PlatformSurprise
from fleets.platform_api.fields import FieldError
from fleets.platform_api.redaction import value_excerpt

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that arrived: its status, its JSON, and the facts an error would quote."""

    status: int
    body: Any
    facts: CallFacts

    def parse(self, parser: Callable[[Any], T], /) -> T:
        """`parser(body)`; raises PlatformSurprise that names the bad field."""
        try:
            return parser(self.body)
        except FieldError as error:
            raise PlatformSurprise(
                str(error), body=value_excerpt(self.body), **self.facts
            ) from None
