"""Which definitions a list shows: everything the URL says, read strictly, written back the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Lower

from fleets.models import Definition, User
from fleets.selectors.list_query import given_words, known_sort, query_string

DEFAULT_SORT: Final = "-updated"
_SORT_VALUES: Final[Mapping[str, Any]] = {"updated": F("updated_at"), "name": Lower("name")}
_PARTS: Final = ("q", "tag", "owner", "archived", "sort")


@dataclass(frozen=True, slots=True)
class DefinitionFilter:
    """What the list is narrowed to; "" for all. `archived` is "" (without) or "only".

    `problems` are sentences about what was asked and could not be understood; it is left out then.
    """

    q: str = ""
    tag: str = ""
    owner: str = ""
    archived: str = ""
    sort: str = DEFAULT_SORT
    problems: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "DefinitionFilter":
        """Read a query string; unknown words are dropped and said."""
        given = given_words(params, _PARTS)
        if given["archived"] not in ("", "only"):
            given["archived"] = ""
        sort, problems = known_sort(given["sort"], known=_SORT_VALUES, default=DEFAULT_SORT)
        return cls(**{**given, "sort": sort}, problems=problems)

    @property
    def words(self) -> list[tuple[str, str]]:
        """The active filters as (key, value), for people."""
        pairs = [("search", self.q), ("tag", self.tag), ("owner", self.owner)]
        pairs.append(("shown", "archived" if self.archived else ""))
        return [(key, value) for key, value in pairs if value]

    def query(self, **changes: str) -> str:
        """The query string of this filter with some words changed; defaults are left out."""
        pairs = {name: str(getattr(self, name)) for name in _PARTS}
        return query_string(pairs | changes, default_sort=DEFAULT_SORT)

    @property
    def is_descending(self) -> bool:
        """Whether the largest come first."""
        return self.sort.startswith("-")

    def definitions(self, user: User) -> "QuerySet[Definition]":
        """The definitions of the filter, unsorted, with `sort_value` annotated."""
        found = Definition.objects.order_by().filter(archived_at__isnull=not self.archived)
        if self.owner:
            name = user.get_username() if self.owner == "me" else self.owner
            found = found.filter(owner__username=name)
        if self.tag:
            found = found.filter(tags__contains=[self.tag])
        for word in self.q.split():
            found = found.filter(_condition(word))
        return found.annotate(sort_value=_SORT_VALUES[self.sort.removeprefix("-")])


def _condition(word: str) -> Q:
    key, colon, value = word.partition(":")
    if colon and value and key == "tag":
        return Q(tags__contains=[value])
    if colon and value and key == "profile":
        return Q(profile_slugs__contains=[value])
    if colon and value and key == "owner":
        return Q(owner__username__iexact=value)
    return Q(name__icontains=word) | Q(slug__icontains=word) | Q(description__icontains=word)
