"""Orders a trial: an ordinary launch, and the row that says which revisions it compares."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from fleets.domain.errors import Conflict
from fleets.domain.profile_trial import TrialPlan, read_trial, trial_refusal
from fleets.models import Profile, ProfileTrial
from fleets.selectors.profile_try import trial_plan
from fleets.services import audit
from fleets.services.actor import Actor
from fleets.services.launch import launch_fleet
from fleets.services.profiles import locked, must_edit


@dataclass(frozen=True, slots=True)
class TrialOrder:
    """What is ordered. `settings` are the fields of `domain.profile_trial.read_trial` as typed."""

    number: int
    against: int
    settings: Mapping[str, str]


@transaction.atomic
def start_trial(
    profile: Profile, order: TrialOrder, *, actor: Actor, idempotency_key: str
) -> ProfileTrial:
    """Launch the trial over the examples as they stand; the same key returns the same trial.

    Raises NotAllowed, OverLimit, InvalidInput (at a setting), NotFoundHere, or Conflict: nothing to
    try, or the key has launched something else.
    """
    profile = locked(profile)
    must_edit(actor, profile.catalog)
    plan = trial_plan(profile, number=order.number, against=order.against)
    _must_be_possible(profile, plan)
    spec = read_trial(order.settings, plan)
    fleet = launch_fleet(spec, actor=actor, idempotency_key=idempotency_key)
    before = ProfileTrial.objects.filter(fleet=fleet).first()
    if before is not None:
        return before
    trial = ProfileTrial.objects.create(
        profile=profile,
        revision_id=plan.tried.saved.revision_id,
        against_id=plan.against.saved.revision_id,
        fleet=fleet,
        examples=[{"prompt": one.prompt, "acceptance": one.acceptance} for one in plan.examples],
        count=len(plan.examples),
        asked=sum(not one.check.asks_nothing for one in plan.examples),
        created_by=actor.user,
        created_at=timezone.now(),
    )
    audit.record(
        "profile.try",
        actor=actor,
        object_type="profile",
        object_id=profile.slug,
        after={
            "trial": trial.pk,
            "revision": plan.tried.number,
            "against": plan.against.number,
            "examples": trial.count,
            "fleet": fleet.public_id,
            "budgetNusd": spec.budget_nusd,
        },
    )
    return trial


def _must_be_possible(profile: Profile, plan: TrialPlan) -> None:
    refusal = trial_refusal(
        slug=profile.slug,
        examples=plan.examples,
        tried=plan.tried,
        against=plan.against,
        is_archived=profile.archived_at is not None,
    )
    if refusal:
        raise Conflict(refusal)
