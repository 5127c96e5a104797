"""Skills, files and the like that heads of profiles bring along, by content."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Max, Q, QuerySet
from django.urls import reverse

from fleets.domain.changed_texts import ChangedText
from fleets.domain.profile_parts import parts_of
from fleets.domain.text_diff import text_diff
from fleets.models import ProfileText

MOST_ROWS: Final = 200
MOST_USERS: Final = 500
MOST_CHARS: Final = 256 * 1_024


@dataclass(frozen=True, slots=True)
class TextRow:
    """One content: its names, and in how many profiles it is.

    `others` counts contents that have one of its names.
    """

    digest: str
    names: Sequence[str]
    kinds: Sequence[str]
    size_bytes: int
    profiles: int
    others: int = 0

    @property
    def url(self) -> str:
        """Its page."""
        return reverse("fleets:profile_skill", args=[self.digest])

    @property
    def short(self) -> str:
        """The digest as people read it."""
        return self.digest[:8]


@dataclass(frozen=True, slots=True)
class TextsPage:
    """At most `MOST_ROWS` of `total`, grouped by name: same names stand beside each other."""

    rows: Sequence[TextRow]
    total: int
    shared: int
    alike: int


@dataclass(frozen=True, slots=True)
class TextUse:
    """A profile that has it, under which name."""

    slug: str
    profile: str
    kind: str
    name: str
    head: int
    owner: str
    catalog: str


@dataclass(frozen=True, slots=True)
class SharedText:
    """One content with everybody who has it, and other contents of the same names."""

    row: TextRow
    text: str
    is_cut: bool
    uses: Sequence[TextUse]
    others: Sequence[TextRow]


def texts_page(*, q: str = "", show: str = "") -> TextsPage:
    """All contents, or those with `q` in a name; `show`: "shared" or "alike". Two queries."""
    names = _names()
    alike = {name for name, count in names.items() if count > 1}
    found = _living()
    if q:
        matching = found.filter(Q(name__icontains=q) | Q(digest__startswith=q.lower()))
        found = found.filter(digest__in=matching.values("digest"))
    rows = [_row(one, names) for one in _grouped(found)]
    shared = [row for row in rows if row.profiles > 1]
    doubles = [row for row in rows if alike & set(row.names)]
    chosen = {"shared": shared, "alike": doubles}.get(show, rows)
    if show == "alike":
        chosen = sorted(chosen, key=lambda row: (row.names[0].lower(), -row.profiles, row.digest))
    return TextsPage(chosen[:MOST_ROWS], len(rows), len(shared), len(doubles))


def shared_text(digest: str) -> SharedText | None:
    """One content, None when no head has it. Four queries."""
    uses = list(
        _living()
        .filter(digest=digest)
        .order_by("profile__slug", "pk")
        .values_list(
            *("profile__slug", "profile__name", "kind", "name", "profile__head__number"),
            *("profile__owner__username", "profile__catalog__name"),
        )[:MOST_USERS]
    )
    text = text_of(digest)
    if not uses or text is None:
        return None
    names = _names()
    alike = {name for _, _, _, name, *_ in uses}
    same_names = _living().filter(name__in=alike).values("digest")
    rows = [_row(one, names) for one in _grouped(_living().filter(digest__in=same_names))]
    own = next(row for row in rows if row.digest == digest)
    return SharedText(
        row=own,
        text=text[:MOST_CHARS],
        is_cut=len(text) > MOST_CHARS,
        uses=[
            TextUse(slug, profile, kind, name, head or 0, owner or "", catalog)
            for slug, profile, kind, name, head, owner, catalog in uses
        ],
        others=[row for row in rows if row.digest != digest],
    )


def text_of(digest: str) -> str | None:
    """The text itself, out of the first head that has it. One query."""
    row = _living().filter(digest=digest).values_list("profile__head__body").first()
    parts = parts_of(json.loads(row[0])) if row and row[0] else ()
    return next((part.text for part in parts if part.digest == digest), None)


def difference(found: SharedText, other: str) -> ChangedText | None:
    """How this text differs from another of the same name; None unless there is one. One query."""
    row = next((row for row in found.others if row.digest == other), None)
    text = text_of(row.digest) if row else None
    if row is None or text is None:
        return None
    return ChangedText(f"{row.short} → {found.row.short}", text_diff(text, found.text))


def _living() -> "QuerySet[ProfileText]":
    return ProfileText.objects.filter(profile__archived_at__isnull=True).order_by()


def _names() -> dict[str, int]:
    """How many contents each name has."""
    rows = _living().values("name").annotate(contents=Count("digest", distinct=True))
    return dict(rows.values_list("name", "contents"))


def _grouped(found: "QuerySet[ProfileText]") -> list[dict[str, Any]]:
    rows = (
        found.values("digest")
        .annotate(
            names=ArrayAgg("name", distinct=True, order_by="name"),
            kinds=ArrayAgg("kind", distinct=True, order_by="kind"),
            size=Max("size_bytes"),
            profiles=Count("profile", distinct=True),
        )
        .order_by("-profiles", "names", "digest")
    )
    return [dict(row) for row in rows]


def _row(one: dict[str, Any], names: dict[str, int]) -> TextRow:
    return TextRow(
        digest=one["digest"],
        names=one["names"],
        kinds=one["kinds"],
        size_bytes=one["size"],
        profiles=one["profiles"],
        others=max(names.get(name, 1) - 1 for name in one["names"]),
    )
