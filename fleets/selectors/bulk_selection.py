"""Which profiles a bulk change is for: chosen one by one, or everything a filter finds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from fleets.domain.number_input import parse_whole
from fleets.domain.slugs import is_slug
from fleets.models import Profile, User
from fleets.selectors.profile_filter import ProfileFilter

MOST_PROFILES: Final = 500
_DIGITS: Final = 6
_NAMED: Final = 5
_NO_ID: Final = "?"


@dataclass(frozen=True, slots=True)
class BulkSelection:
    """`slugs` chosen by hand, or, when there are none, all that `chosen` finds.

    `count` is how many the person saw the filter find; None where nobody looked yet.
    """

    chosen: ProfileFilter
    slugs: tuple[str, ...] = ()
    count: int | None = None

    @classmethod
    def of(cls, params: Mapping[str, str], *, slugs: Iterable[str]) -> "BulkSelection":
        """Read a query string or a form: the ids that were chosen, or the words of a filter."""
        given = tuple(slugs)
        chosen = tuple(dict.fromkeys(one for one in given if is_slug(one)))
        if given and not chosen:
            # Ids that can be none mean no profile, and never all of them.
            chosen = (_NO_ID,)
        count = parse_whole(params.get("count", ""), most_digits=_DIGITS)
        return cls(ProfileFilter.of(params), chosen, count)

    @property
    def is_by_hand(self) -> bool:
        """Whether the profiles were chosen one by one."""
        return bool(self.slugs)

    @property
    def words(self) -> str:
        """The selection as people say it."""
        if self.slugs:
            more = f" and {len(self.slugs) - _NAMED} more" if len(self.slugs) > _NAMED else ""
            return f"chosen: {', '.join(self.slugs[:_NAMED])}{more}"
        filters = ", ".join(f"{key} {value}" for key, value in self.chosen.words)
        return f"all with {filters}" if filters else "all profiles that are not archived"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """What a form carries so that it reads back the same."""
        if self.slugs:
            return [("slug", slug) for slug in self.slugs]
        return [pair for pair in self.chosen.pairs if pair[1]]

    def profiles(self, user: User) -> "QuerySet[Profile]":
        """The profiles meant, by id. Chosen ones are found although the filter has not them."""
        found = Profile.objects.filter(slug__in=self.slugs)
        if not self.slugs:
            found = self.chosen.profiles(user)
        return found.order_by("slug")
