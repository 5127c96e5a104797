"""The trials of a profile in a list, and what its revisions were tried with last."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Q, QuerySet, Sum
from django.urls import reverse

from fleets.domain.answer_check import WAITING_VERDICTS, Verdict
from fleets.domain.status import TaskState
from fleets.domain.trial_figures import CUT_SHORT, Score, verdict_words
from fleets.models import Fleet, Profile, ProfileTrial, Task, Turn
from fleets.selectors.profile_trial import FIRST_RUN

MOST_TRIALS: Final = 20
_OPEN: Final = (TaskState.QUEUED, TaskState.RUNNING)


@dataclass(frozen=True, slots=True)
class TrialLine:
    """One trial. `words` is what it came to, `cost_nusd` what its turns cost, None if unknown."""

    url: str
    number: int
    against: int
    examples: int
    words: str
    state: str
    cost_nusd: int | None
    author: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TrialList:
    """The newest of `total`."""

    lines: Sequence[TrialLine]
    total: int


@dataclass(frozen=True, slots=True)
class Tried:
    """The last trial of a revision: "4 of 5 vs 3 of 5", against which one, and its page."""

    words: str
    against: int
    url: str


def trial_list(profile: Profile) -> TrialList:
    """Newest first. Four queries."""
    trials = list(_trials(profile)[:MOST_TRIALS])
    scores = _scores(trials)
    costs = _costs(trials)
    lines = [
        TrialLine(
            url=_url(profile, trial),
            number=trial.revision.number,
            against=trial.against.number,
            examples=trial.count,
            words=verdict_words(*scores[trial.pk]),
            state=trial.fleet.state,
            cost_nusd=costs.get(trial.fleet_id),
            author=trial.created_by.get_username() if trial.created_by else "Fleetdash",
            created_at=trial.created_at,
        )
        for trial in trials
    ]
    total = profile.trials.count() if len(trials) == MOST_TRIALS else len(trials)
    return TrialList(lines, total)


def tried(profile: Profile, numbers: Collection[int]) -> dict[int, Tried]:
    """The last trial of each of these revisions, by number. Two queries."""
    last = (
        _trials(profile)
        .filter(revision__number__in=list(numbers))
        .order_by("revision_id", "-created_at", "-pk")
        .distinct("revision_id")
    )
    trials = list(last)
    scores = _scores(trials)
    return {
        trial.revision.number: Tried(
            words=verdict_words(*scores[trial.pk]),
            against=trial.against.number,
            url=_url(profile, trial),
        )
        for trial in trials
    }


def trial_of(fleet: Fleet) -> ProfileTrial | None:
    """The trial that this fleet was launched for, if for one. One query."""
    found = ProfileTrial.objects.select_related("profile", "revision", "against")
    bodies = ("examples", "revision__body", "against__body", "profile__search_text")
    return found.defer(*bodies).filter(fleet=fleet).first()


def _trials(profile: Profile) -> "QuerySet[ProfileTrial]":
    found = ProfileTrial.objects.filter(profile=profile).select_related(
        "revision", "against", "fleet", "created_by"
    )
    return found.only(
        *("profile", "count", "asked", "created_at", "created_by__username", "fleet__state"),
        *("revision__number", "against__number"),
    )


def _url(profile: Profile, trial: ProfileTrial) -> str:
    return reverse("fleets:profile_trial", args=[profile.slug, trial.pk])


def _scores(trials: Sequence[ProfileTrial]) -> dict[int, tuple[Score, Score]]:
    """Both sides of each trial, the one that it is compared with first. One query."""
    fleets = [trial.fleet_id for trial in trials]
    rows: list[Mapping[str, Any]] = []
    if fleets:
        tasks = Task.objects.filter(run__fleet__in=fleets, run__number=FIRST_RUN).order_by()
        rows = list(
            tasks.values("run__fleet", "agent__profile__revision").annotate(
                open=Count("pk", filter=Q(state__in=_OPEN)),
                good=Count("pk", filter=Q(verdict=Verdict.ACCEPTED)),
                undecided=Count("pk", filter=Q(verdict__in=WAITING_VERDICTS)),
                cut_short=Count("pk", filter=Q(state__in=CUT_SHORT)),
            )
        )
    by_side = {(row["run__fleet"], row["agent__profile__revision"]): row for row in rows}

    def score(trial: ProfileTrial, revision: int) -> Score:
        row = by_side.get((trial.fleet_id, revision), {})
        return Score(
            examples=trial.count,
            ended=trial.count - row.get("open", 0),
            asked=trial.asked,
            accepted=row.get("good", 0),
            waiting=row.get("undecided", 0),
            cut_short=row.get("cut_short", 0),
        )

    return {one.pk: (score(one, one.against_id), score(one, one.revision_id)) for one in trials}


def _costs(trials: Sequence[ProfileTrial]) -> dict[int, int | None]:
    """What the turns of each fleet cost. One query."""
    fleets = [trial.fleet_id for trial in trials]
    turns = Turn.objects.filter(run__fleet__in=fleets, run__number=FIRST_RUN).order_by()
    rows: list[Any] = list(turns.values_list("run__fleet").annotate(all=Sum("cost_nusd")))
    return dict(rows)
