"""Which profiles a list shows: everything the URL says, read strictly and written back the same."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Lower

from fleets.domain.harnesses import HARNESSES
from fleets.models import Profile, ProfileText, User
from fleets.selectors.list_query import given_words, known_sort, query_string

DEFAULT_SORT: Final = "-updated"
_SORT_VALUES: Final[Mapping[str, Any]] = {"updated": F("updated_at"), "name": Lower("name")}
_PARTS: Final = ("q", "harness", "tag", "owner", "catalog", "archived", "sort")
_KEYS: Final = {
    "owner": "owner__username__iexact",
    "model": "model__icontains",
    "harness": "harness__iexact",
    "catalog": "catalog__slug__iexact",
}
_TEXT: Final = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class ProfileFilter:
    """What the list is narrowed to; "" for all. `archived` is "" (without) or "only".

    `problems` are sentences about what was asked and could not be understood; it is left out then.
    """

    q: str = ""
    harness: str = ""
    tag: str = ""
    owner: str = ""
    catalog: str = ""
    archived: str = ""
    sort: str = DEFAULT_SORT
    problems: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "ProfileFilter":
        """Read a query string; unknown words are dropped and said."""
        given = given_words(params, _PARTS)
        sort, problems = known_sort(given["sort"], known=_SORT_VALUES, default=DEFAULT_SORT)
        if given["harness"] not in ("", *HARNESSES):
            problems = (f"“{given['harness'][:40]}” is no harness.", *problems)
            given["harness"] = ""
        if given["archived"] not in ("", "only"):
            given["archived"] = ""
        return cls(**{**given, "sort": sort}, problems=problems)

    @property
    def words(self) -> list[tuple[str, str]]:
        """The active filters as (key, value), for people."""
        pairs = [(name, getattr(self, name)) for name in ("harness", "tag", "owner", "catalog")]
        pairs = [("search", self.q), *pairs, ("shown", "archived" if self.archived else "")]
        return [(key, value) for key, value in pairs if value]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The words of the address that are given, for a form to carry on."""
        return [(name, getattr(self, name)) for name in _PARTS if getattr(self, name)]

    def query(self, **changes: str) -> str:
        """The query string of this filter with some words changed; defaults are left out."""
        pairs = {name: str(getattr(self, name)) for name in _PARTS}
        return query_string(pairs | changes, default_sort=DEFAULT_SORT)

    @property
    def is_descending(self) -> bool:
        """Whether the largest come first."""
        return self.sort.startswith("-")

    def profiles(self, user: User) -> "QuerySet[Profile]":
        """The profiles of the filter, unsorted, with `sort_value` annotated."""
        found = Profile.objects.order_by().filter(archived_at__isnull=not self.archived)
        if self.owner:
            name = user.get_username() if self.owner == "me" else self.owner
            found = found.filter(owner__username=name)
        if self.harness:
            found = found.filter(harness=self.harness)
        if self.tag:
            found = found.filter(tags__contains=[self.tag])
        if self.catalog:
            found = found.filter(catalog__slug=self.catalog)
        for word in self.q.split():
            found = found.filter(_condition(word))
        return found.annotate(sort_value=_SORT_VALUES[self.sort.removeprefix("-")])


def _condition(word: str) -> Q:
    key, colon, value = word.partition(":")
    if colon and value and key == "tag":
        return Q(tags__contains=[value])
    if key == "text" and _TEXT.fullmatch(value):
        # A digest of what a profile brings along; several rows of one profile count once.
        return Q(pk__in=ProfileText.objects.filter(digest=value).values("profile"))
    if colon and value and key in _KEYS:
        return Q(**{_KEYS[key]: value})
    return Q(search_text__contains=word.lower()) | Q(slug__contains=word.lower())
