"""Two revisions of a profile beside each other: fields, texts, and what each came to."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fleets.domain.changed_texts import ChangedText, changed_source, changed_texts
from fleets.domain.profile_diff import FieldChange, count_fields, field_changes
from fleets.models import Profile, ProfileRevision
from fleets.selectors.profile_results import RevisionResults, never_ran, revision_results


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One of the two."""

    number: int
    author: str
    created_at: datetime
    note: str
    digest: str
    results: RevisionResults


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs. `texts` holds long fields, or the whole source as one."""

    before: ComparedSide
    after: ComparedSide
    changes: Sequence[FieldChange]
    fields: int
    texts: Sequence[ChangedText]

    @property
    def has_results(self) -> bool:
        """Whether either of them ran."""
        return bool(self.before.results.turns or self.after.results.turns)


def compare(profile: Profile, *, before: int, after: int, by_source: bool) -> Comparison | None:
    """The difference of two revisions, None when one of them is not there. Three queries."""
    found = {
        row.number: row
        for row in profile.revisions.filter(number__in=(before, after)).select_related("author")
    }
    if before not in found or after not in found:
        return None
    old, new = found[before], found[after]
    body = json.loads(new.body)
    changes = field_changes(json.loads(old.body), body)
    results = {one.number: one for one in revision_results(profile)}
    return Comparison(
        before=_side(old, results),
        after=_side(new, results),
        changes=changes,
        fields=count_fields(body),
        texts=changed_source(old.body, new.body) if by_source else changed_texts(changes),
    )


def _side(revision: ProfileRevision, results: dict[int, RevisionResults]) -> ComparedSide:
    return ComparedSide(
        number=revision.number,
        author=revision.author.get_username() if revision.author else "Fleetdash",
        created_at=revision.created_at,
        note=revision.note,
        digest=revision.digest,
        results=results.get(revision.number) or never_ran(revision.number),
    )
