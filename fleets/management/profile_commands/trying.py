"""`manage.py profiles try`: two revisions over the examples of a profile, side by side."""

import secrets
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from fleets.domain.errors import Conflict, InvalidInput, Problem
from fleets.domain.launch_checks import Account
from fleets.domain.number_input import parse_revision
from fleets.domain.preflight import preflight
from fleets.domain.profile_trial import holding_budget, read_trial
from fleets.domain.trial_figures import Difference
from fleets.management.fleet_commands import exit_codes
from fleets.management.fleet_commands.console import Console
from fleets.management.fleet_commands.people import team_of
from fleets.management.fleet_commands.progress import Progress
from fleets.management.fleet_commands.waiting import wait_for_work
from fleets.models import Profile, ProfileTrial
from fleets.selectors.profile_trial import TrialView, trial_view
from fleets.selectors.profile_try import TrySetup, try_setup
from fleets.services.actor import Actor
from fleets.services.profile_trials import TrialOrder, start_trial

_PLACES = {"budget": "--budget-usd", "team": "--team"}


def try_revision(console: Console, options: dict[str, Any], *, actor: Actor) -> int:
    """Start the trial; with `--wait` print what it came to. The exit code."""
    profile = _profile(options["slug"])
    setup = try_setup(
        profile,
        number=_number(options["revision"], "--revision"),
        against=_number(options["against"], "--against"),
    )
    if setup.refusal:
        raise Conflict(setup.refusal)
    order = TrialOrder(
        setup.tried.number, setup.against.number, _settings(profile, setup, options, actor)
    )
    _check(order, setup, actor)
    key = f"command-{secrets.token_hex(12)}"
    trial = start_trial(profile, order, actor=actor, idempotency_key=key)
    path = reverse("fleets:profile_trial", args=[profile.slug, trial.pk])
    console.say(f"{setup.plan.turns} turns in {trial.fleet}: {settings.BASE_URL}{path}")
    return _wait(trial, console) if options["wait"] else exit_codes.ALL_COMPLETED


def _profile(slug: str) -> Profile:
    found = Profile.objects.select_related("catalog__team", "head")
    profile = found.filter(slug=slug).first() if "\0" not in slug else None
    if profile is None:
        raise InvalidInput.at("ID", f"There is no profile {slug[:63]}.")
    return profile


def _number(text: str | None, place: str) -> int | None:
    if not text:
        return None
    number = parse_revision(text)
    if number is None:
        raise InvalidInput.at(place, f"{place} is the number of a revision, such as 12.")
    return number


def _settings(
    profile: Profile, setup: TrySetup, options: dict[str, Any], actor: Actor
) -> dict[str, str]:
    team = profile.catalog.team
    typed = {
        "team": options["team"] or (team.slug if team else team_of(actor)),
        "budget": options["budget_usd"],
    }
    if typed["budget"].strip():
        return typed
    spec = read_trial({**typed, "budget": "1"}, setup.plan)
    return {**typed, "budget": holding_budget(spec, limit_nusd=_limit(actor))}


def _limit(actor: Actor) -> int | None:
    user = actor.user
    return None if user is None or user.is_admin else user.spend_limit_nusd


def _check(order: TrialOrder, setup: TrySetup, actor: Actor) -> None:
    """What the page would refuse. Raises InvalidInput at the options."""
    spec = read_trial(order.settings, setup.plan)
    account = Account(spend_limit_nusd=_limit(actor))
    found = preflight(spec, now=timezone.now(), account=account).problems
    if found:
        raise InvalidInput(Problem(_PLACES.get(one.place, one.place), one.message) for one in found)


def _wait(trial: ProfileTrial, console: Console) -> int:
    fleet = wait_for_work(trial.fleet, console=console, on_look=Progress(console).show)
    console.clear()
    trial.fleet = fleet
    view = trial_view(trial)
    _show(view, console)
    if fleet.stop_sentence:
        console.say(fleet.stop_sentence)
    if exit_codes.code_of(fleet) == exit_codes.BUDGET_STOPPED:
        return exit_codes.BUDGET_STOPPED
    is_whole = view.after.completed == view.after.examples
    is_as_good = view.after.accepted >= view.before.accepted
    return exit_codes.ALL_COMPLETED if is_whole and is_as_good else exit_codes.SOME_DID_NOT


def _show(view: TrialView, console: Console) -> None:
    before, after, differences = view.before, view.after, view.differences
    console.table(
        ("", f"r{view.against}", f"r{view.number}", ""),
        [
            ("accepted", before.accepted_words, after.accepted_words, _said(differences.accepted)),
            ("time", _seconds(before.median_s), _seconds(after.median_s), _said(differences.time)),
            ("cost", *view.costs, _said(differences.cost)),
        ],
    )


def _seconds(median_s: float | None) -> str:
    return "—" if median_s is None else f"{median_s:.1f} s"


def _said(difference: Difference | None) -> str:
    return difference.words if difference else ""
