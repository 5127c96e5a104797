"""What a trial of a profile would compare: two of its revisions over its examples."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fleets.domain.errors import NotFoundHere
from fleets.domain.profile_trial import Side, TrialPlan, agent_of, trial_refusal
from fleets.models import Profile, ProfileRevision
from fleets.selectors.profile_examples import ExampleList, example_list

MOST_CHOICES: Final = 200


@dataclass(frozen=True, slots=True)
class Saved:
    """A revision's content and row, as a launch wants them."""

    body: Mapping[str, Any]
    revision_id: int


@dataclass(frozen=True, slots=True)
class TrySide:
    """A side as the page names it. `word`: head, draft, or "" for one that was the head before.

    Harness and model are what its agents get; a word in `defaults` was left open by the profile.
    """

    number: int
    word: str
    note: str
    author: str
    harness: str
    model: str
    defaults: Sequence[str]


@dataclass(frozen=True, slots=True)
class TrySetup:
    """What the page shows before anything is ordered. `refusal` "": it can be tried."""

    plan: TrialPlan
    tried: TrySide
    against: TrySide
    examples: ExampleList
    numbers: Sequence[tuple[int, str]]
    refusal: str

    @property
    def sides(self) -> tuple[TrySide, TrySide]:
        """As they stand beside each other: what is compared with first."""
        return (self.against, self.tried)


def try_setup(profile: Profile, *, number: int | None, against: int | None) -> TrySetup:
    """A revision (the newest) against another (the head, else where it was started from, else the
    newest).

    Raises NotFoundHere when there is no such revision. At most four queries.
    """
    examples = example_list(profile)
    tried = _revision(profile, number or profile.newest)
    other = _revision(profile, against or _usual(profile, tried))
    plan = _plan(profile, tried, other, examples)
    numbers = profile.revisions.order_by("-number").values_list("number", "published_at")
    return TrySetup(
        plan=plan,
        tried=_side(profile, tried, plan.tried),
        against=_side(profile, other, plan.against),
        examples=examples,
        numbers=[
            (one, f"r{one}{_words(_word(profile, one, is_published=at is not None))}")
            for one, at in numbers[:MOST_CHOICES]
        ],
        refusal=trial_refusal(
            slug=profile.slug,
            examples=plan.examples,
            tried=plan.tried,
            against=plan.against,
            is_archived=profile.archived_at is not None,
        ),
    )


def trial_plan(profile: Profile, *, number: int, against: int) -> TrialPlan:
    """What a trial of these two runs. Raises NotFoundHere. Three queries."""
    tried, other = _revision(profile, number), _revision(profile, against)
    return _plan(profile, tried, other, example_list(profile))


def _usual(profile: Profile, tried: ProfileRevision) -> int:
    head = profile.head.number if profile.head else 0
    if head and head != tried.number:
        return head
    base = tried.base.number if tried.base else 0
    return base or tried.number - 1 or profile.newest


def _revision(profile: Profile, number: int) -> ProfileRevision:
    found = profile.revisions.select_related("author", "base").defer("base__body")
    revision = found.filter(number=number).first()
    if revision is None:
        raise NotFoundHere(f"revision of {profile.slug}", f"r{number}")
    return revision


def _plan(
    profile: Profile, tried: ProfileRevision, against: ProfileRevision, examples: ExampleList
) -> TrialPlan:
    return TrialPlan(
        slug=profile.slug,
        tried=_plan_side(tried),
        against=_plan_side(against),
        examples=tuple(row.example for row in examples.rows),
    )


def _plan_side(revision: ProfileRevision) -> Side:
    saved = Saved(json.loads(revision.body), revision.pk)
    return Side(revision.number, revision.digest, saved)


def _side(profile: Profile, revision: ProfileRevision, side: Side) -> TrySide:
    agent = agent_of(side)
    body = side.saved.body
    left_open = [
        name
        for name, is_said in (
            ("harness", body.get("harness")),
            ("model", (body.get("model") or {}).get("default")),
        )
        if not is_said
    ]
    return TrySide(
        number=revision.number,
        word=_word(profile, revision.number, is_published=revision.published_at is not None),
        note=revision.note,
        author=revision.author.get_username() if revision.author else "Fleetdash",
        harness=agent.harness,
        model=agent.model,
        defaults=left_open,
    )


def _word(profile: Profile, number: int, *, is_published: bool) -> str:
    if profile.head is not None and profile.head.number == number:
        return "head"
    return "" if is_published else "draft"


def _words(word: str) -> str:
    return f", {word}" if word else ""
