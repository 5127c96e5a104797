"""An import as its preview shows it: each profile against what the catalog has of it now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import F, OuterRef, Q, Subquery

from fleets.domain.canonical_json import profile_digest
from fleets.domain.errors import Problem
from fleets.domain.profile_body import RESERVED
from fleets.domain.profile_import.candidate import Candidate, Loss, Unread
from fleets.domain.profile_import.kept import found_of
from fleets.models import Catalog, Profile, ProfileImport, ProfileRevision, User


class Verdict(StrEnum):
    """What confirming would do."""

    NEW = "new"
    REVISION = "new revision"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One profile of the upload. `number` is the newest revision the catalog has of it."""

    at: int
    candidate: Candidate
    verdict: Verdict
    problems: tuple[Problem, ...]
    number: int | None = None
    catalog: str = ""

    @property
    def may_be_taken(self) -> bool:
        """Whether confirming writes something."""
        return self.verdict in (Verdict.NEW, Verdict.REVISION)

    @property
    def rules(self) -> tuple[Loss, ...]:
        """Permissions that would be lost."""
        return tuple(loss for loss in self.candidate.losses if loss.is_rule)

    @property
    def others(self) -> tuple[Loss, ...]:
        """Everything else that would be lost."""
        return tuple(loss for loss in self.candidate.losses if not loss.is_rule)


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """All rows, and the files nothing was read from."""

    rows: tuple[ImportRow, ...]
    unread: tuple[Unread, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many of each verdict, those that occur."""
        found = dict.fromkeys(Verdict, 0)
        for row in self.rows:
            found[row.verdict] += 1
        return {verdict: count for verdict, count in found.items() if count}

    @property
    def takeable(self) -> int:
        """How many would be written."""
        return sum(row.may_be_taken for row in self.rows)


def import_preview(kept: ProfileImport, user: User) -> ImportPreview:
    """Compare with the catalog as it stands: one query, and one for the person's teams."""
    found = found_of(kept.found)
    known = _known([one.slug for one in found.candidates if not one.problems])
    teams = None if user.is_admin else {team.pk for team in user.teams.all()}
    rows = tuple(_row(at, one, known, teams=teams) for at, one in enumerate(found.candidates))
    return ImportPreview(rows, found.unread)


def catalogs_of(user: User) -> list[Catalog]:
    """Where this person may write, the organisation's first."""
    found = Catalog.objects.order_by(F("team").asc(nulls_first=True), "name")
    if not user.is_admin:
        found = found.filter(Q(team=None) | Q(team__in=user.teams.all()))
    return list(found)


def imports_of(user: User, *, now: datetime) -> list[ProfileImport]:
    """What this person has read and not yet confirmed, newest first."""
    waiting = ProfileImport.objects.filter(user=user, confirmed_at=None, expires_at__gt=now)
    return list(waiting.defer("found"))


def _known(slugs: list[str]) -> dict[str, Profile]:
    newest = ProfileRevision.objects.filter(profile=OuterRef("pk"), number=OuterRef("newest"))
    found = (
        Profile.objects.filter(slug__in=slugs)
        .select_related("catalog")
        .annotate(
            newest_digest=Subquery(newest.values("digest")[:1]), head_digest=F("head__digest")
        )
        .defer("search_text")
    )
    return {profile.slug: profile for profile in found}


def _row(
    at: int, one: Candidate, known: Mapping[str, Profile], *, teams: set[int] | None
) -> ImportRow:
    if one.problems:
        return ImportRow(at, one, Verdict.REFUSED, one.problems)
    profile = known.get(one.slug)
    if profile is None:
        if one.slug in RESERVED:
            return _refused(at, one, f"{one.slug} is an address here: give it another profileId.")
        return ImportRow(at, one, Verdict.NEW, ())
    digests = {getattr(profile, "newest_digest", ""), getattr(profile, "head_digest", "")}
    if profile_digest(one.body) in digests:
        return ImportRow(at, one, Verdict.UNCHANGED, (), profile.newest, profile.catalog.name)
    team = profile.catalog.team_id
    if teams is not None and team is not None and team not in teams:
        words = f"{one.slug} belongs to the catalog {profile.catalog.name}, of a team not yours."
        return _refused(at, one, words)
    if profile.archived_at is not None:
        return _refused(at, one, f"{one.slug} is archived: bring it back first.")
    return ImportRow(at, one, Verdict.REVISION, (), profile.newest, profile.catalog.name)


def _refused(at: int, one: Candidate, words: str) -> ImportRow:
    return ImportRow(at, one, Verdict.REFUSED, (Problem("", words),))
