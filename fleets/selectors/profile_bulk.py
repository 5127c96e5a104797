"""What one change would do to many profiles: judged body by body, nothing written."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse

from fleets.domain.errors import Problem
from fleets.domain.profile_change import (
    ProfileChange,
    apply_change,
    hosts_of,
    models_of,
)
from fleets.domain.profile_diff import FieldChange, field_changes, show_value
from fleets.domain.profile_parts import parts_of
from fleets.domain.profile_problems import CheckedBody, check_body
from fleets.models import BulkOutcome, Profile, ProfileDraft, User
from fleets.selectors.bulk_selection import MOST_PROFILES, BulkSelection
from fleets.selectors.editing import RECENT

_AROUND: Final = 32
_LONGEST_SHOWN: Final = 160
_MOST_CHANGES: Final = 12


@dataclass(frozen=True, slots=True)
class ShownChange:
    """One field that differs, cut down to where it does."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class BulkRow:
    """One profile of a preview. `number` is its head, from which the change was made.

    `why` and `problems` say what keeps it from being changed; `checked` is the body it would get.
    """

    profile: Profile
    outcome: BulkOutcome
    number: int | None
    hits: int = 0
    why: str = ""
    problems: tuple[Problem, ...] = ()
    changes: tuple[ShownChange, ...] = ()
    more_changes: int = 0
    checked: CheckedBody | None = None
    draft: int | None = None

    @property
    def url(self) -> str:
        """The page of the profile."""
        return reverse("fleets:profile_detail", args=[self.profile.slug])

    @property
    def is_changed(self) -> bool:
        """Whether it would get a revision."""
        return self.outcome is BulkOutcome.CHANGED

    @property
    def is_unchanged(self) -> bool:
        """Whether the change does not touch it."""
        return self.outcome is BulkOutcome.UNCHANGED


@dataclass(frozen=True, slots=True)
class BulkPreview:
    """Every profile of a selection with its outcome; those that change first."""

    rows: Sequence[BulkRow]

    @property
    def counts(self) -> list[tuple[BulkOutcome, int]]:
        """How many of each outcome, those that occur."""
        found = Counter(row.outcome for row in self.rows)
        return [(outcome, found[outcome]) for outcome in BulkOutcome if found[outcome]]

    @property
    def changed(self) -> list[BulkRow]:
        """Those that would get a revision."""
        return [row for row in self.rows if row.is_changed]

    @property
    def hits(self) -> int:
        """In how many places of all of them."""
        return sum(row.hits for row in self.rows)


@dataclass(frozen=True, slots=True)
class BulkOffer:
    """What the selected profiles have, most used first, each with the number of profiles."""

    count: int
    slugs: Sequence[str]
    models: Sequence[tuple[str, int]]
    harnesses: Sequence[tuple[str, int]]
    tags: Sequence[tuple[str, int]]
    hosts: Sequence[tuple[str, int]]
    texts: Sequence[tuple[str, str, int]]


def bulk_offer(selection: BulkSelection, user: User) -> BulkOffer:
    """What there is to change. Two queries."""
    found = list(selection.profiles(user).select_related("head").defer("search_text"))
    return offer_of(found[:MOST_PROFILES], count=len(found))


def offer_of(profiles: Sequence[Profile], *, count: int) -> BulkOffer:
    """What profiles that were read with their heads have."""
    models, harnesses, tags, hosts = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    texts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for profile in profiles:
        body = json.loads(profile.head.body) if profile.head else {}
        models.update(models_of(body))
        harnesses.update([body["harness"]] if body.get("harness") else [])
        tags.update(set(body.get("tags", ())))
        hosts.update(hosts_of(body))
        parts = {part.digest: part for part in parts_of(body)}
        texts.update(parts.keys())
        names.update({digest: f"{part.name} ({part.kind})" for digest, part in parts.items()})
    return BulkOffer(
        count=count,
        slugs=[profile.slug for profile in profiles],
        models=models.most_common(),
        harnesses=harnesses.most_common(),
        tags=tags.most_common(),
        hosts=hosts.most_common(),
        texts=[(digest, names[digest], uses) for digest, uses in texts.most_common()],
    )


def selected_profiles(selection: BulkSelection, user: User) -> list[Profile]:
    """The profiles with head and catalog, at most one more than may be changed at once."""
    found = selection.profiles(user).select_related("head", "catalog").defer("search_text")
    return list(found[: MOST_PROFILES + 1])


def judged(
    profiles: Collection[Profile], change: ProfileChange, user: User | None, *, now: datetime
) -> BulkPreview:
    """What the change does to each, read with head and catalog. Two queries at most."""
    teams = None if user is None or user.is_admin else {team.pk for team in user.teams.all()}
    editors = _editors(profiles, user, now=now)
    rows = [
        _row(profile, change, teams=teams, editor=editors.get(profile.pk, ""))
        for profile in profiles
    ]
    order = list(BulkOutcome)
    first = {BulkOutcome.CHANGED: 0, BulkOutcome.REFUSED: 1}
    rows.sort(key=lambda row: (first.get(row.outcome, order.index(row.outcome) + 2),))
    return BulkPreview(rows)


def _editors(profiles: Iterable[Profile], user: User | None, *, now: datetime) -> Mapping[int, str]:
    """Who else types in each of them right now."""
    found = ProfileDraft.objects.filter(
        profile__in=[profile.pk for profile in profiles], updated_at__gte=now - RECENT
    )
    if user is not None:
        found = found.exclude(user=user)
    return dict(found.order_by("updated_at").values_list("profile", "user__username"))


def _row(
    profile: Profile, change: ProfileChange, *, teams: set[int] | None, editor: str
) -> BulkRow:
    head, team = profile.head, profile.catalog.team_id
    number = head.number if head else None
    if head is None:
        return _refused(profile, None, "nothing of it is published: its drafts are left alone")
    if profile.archived_at is not None:
        return _refused(profile, number, "is archived: bring it back first")
    if teams is not None and team is not None and team not in teams:
        words = f"belongs to the catalog {profile.catalog.name}, of a team that is not yours"
        return _refused(profile, number, words)
    before = json.loads(head.body)
    made = apply_change(change, before)
    if made.is_refused:
        return _refused(profile, number, made.why)
    if not made.hits:
        return BulkRow(profile, BulkOutcome.UNCHANGED, number, why=made.why)
    if editor:
        return _refused(profile, number, f"{editor} is editing it now")
    checked = check_body(made.body)
    if checked.problems:
        problems = tuple(one.as_problem for one in checked.problems)
        return BulkRow(profile, BulkOutcome.REFUSED, number, made.hits, problems=problems)
    found = field_changes(before, checked.body)
    return BulkRow(
        profile,
        BulkOutcome.CHANGED,
        number,
        hits=made.hits,
        changes=tuple(_shown(one) for one in found[:_MOST_CHANGES]),
        more_changes=max(0, len(found) - _MOST_CHANGES),
        checked=checked,
        draft=profile.newest if profile.newest > head.number else None,
    )


def _refused(profile: Profile, number: int | None, why: str) -> BulkRow:
    return BulkRow(profile, BulkOutcome.REFUSED, number, why=why)


def _shown(change: FieldChange) -> ShownChange:
    """Both values, without most of what they begin and end with alike."""
    before, after = show_value(change.before), show_value(change.after)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    shorter = min(len(before), len(after)) - start
    while end < shorter and before[-1 - end] == after[-1 - end]:
        end += 1
    sides = (_cut(side, start=start, end=len(side) - end) for side in (before, after))
    return ShownChange(change.shown_path, *sides)


def _cut(text: str, *, start: int, end: int) -> str:
    begin, stop = max(0, start - _AROUND), min(len(text), end + _AROUND)
    stop = min(stop, begin + _LONGEST_SHOWN)
    return f"{'…' if begin else ''}{text[begin:stop]}{'…' if stop < len(text) else ''}"
