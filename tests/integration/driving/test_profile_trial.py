"""A trial of two revisions runs to its end, and its page says what the platform's books say."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from emulator.server import EmulatorThread
from fleets.domain.errors import Conflict
from fleets.models import AuditEvent, Fleet, Profile, ProfileExample, ProfileTrial
from fleets.selectors.profile_trial import trial_view
from fleets.services.actor import Actor
from fleets.services.afterwards import carry_out_due
from fleets.services.profile_trials import TrialOrder, start_trial
from tests.factories import ProfileFactory, ProfileRevisionFactory
from tests.integration.chaos.books import executions_of
from tests.support.driver import control, drive_to_end, drive_until

SETTINGS = {"team": "main", "budget": "2.00", "after_delay": "0 s"}
EXAMPLES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("[[ok]] [[recall]] Which word?", {"check": {"kind": "matches", "pattern": "otter"}}),
    ("[[ok]] Say <b>something</b>.", {"check": {"kind": "person"}}),
    ("[[ok]] Say anything.", {}),
)


def knowing(word: str) -> dict[str, Any]:
    skill = {"kind": "inline", "name": "words", "content": f"The codeword is {word}."}
    return {"name": "reviewer", "harness": "opencode", "resources": {"skills": [skill]}}


@pytest.fixture
def profile(actor: Actor) -> Profile:
    """`reviewer`: its head knows herons, its draft otters; three examples to tell them apart."""
    made: Profile = ProfileFactory(slug="reviewer", body=knowing("heron"))
    ProfileRevisionFactory(profile=made, body=knowing("otter"))
    for position, (prompt, acceptance) in enumerate(EXAMPLES, start=1):
        ProfileExample.objects.create(
            profile=made, position=position, prompt=prompt, acceptance=acceptance
        )
    return made


def test_a_trial_runs_both_sides_and_its_page_agrees_with_the_platforms_books(
    emulator: EmulatorThread, actor: Actor, profile: Profile
) -> None:
    order = TrialOrder(number=2, against=1, settings=SETTINGS)
    trial = start_trial(profile, order, actor=actor, idempotency_key="form-1")
    again = start_trial(profile, order, actor=actor, idempotency_key="form-1")
    assert (again, Fleet.objects.count()) == (trial, 1)
    fleet = drive_to_end(trial.fleet)

    # What was tried stays as it was tried, whatever becomes of the examples.
    profile.examples.all().delete()
    trial = ProfileTrial.objects.select_related("fleet", "revision", "against").get()
    view = trial_view(trial)
    books = {one["sessionId"]: one for one in executions_of(emulator, fleet)}
    assert len(books) == 6, "each side ran each example in a session of its own"
    costs = {agent.agent_id: books[agent.session_id]["costNusd"] for agent in fleet.agents.all()}
    for number, side in ((1, view.before), (2, view.after)):
        told = [cost for name, cost in costs.items() if name.startswith(f"r{number}-")]
        assert (side.cost_nusd, len(told), side.is_cost_partial) == (sum(told), 3, False)
    ran = {one["sessionId"]: (one["profile"] or {}).get("digest") for one in books.values()}
    for agent in fleet.agents.select_related("profile__revision"):
        assert agent.profile is not None
        assert agent.profile.revision is not None
        assert ran[agent.session_id] == agent.profile.revision.digest
        assert agent.agent_id.startswith(f"r{agent.profile.revision.number}-")

    assert [side.accepted_words for side in (view.before, view.after)] == ["0 of 2", "1 of 2"]
    assert view.after.rest_words == "1 to be decided, 1 without a check"
    verdicts = [[cell.row.verdict if cell.row else "" for cell in row.cells] for row in view.rows]
    waiting = ["waiting_person"] * 2
    assert verdicts == [["refused", "accepted"], waiting, ["unchecked"] * 2]
    assert view.differences.accepted is None, "not before a person has decided"

    browser = Client()
    assert actor.user is not None
    browser.force_login(actor.user, settings.AUTHENTICATION_BACKENDS[0])
    here = reverse("fleets:profile_trial", args=["reviewer", trial.pk])
    for cell, verdict in zip(view.rows[1].cells, ("refused", "accepted"), strict=True):
        assert cell.row is not None
        browser.post(f"{here}/answers/{cell.row.pk}/decide", {"verdict": verdict, "reason": "so"})

    # With the machines gone, the page still says it all.
    assert carry_out_due(now=timezone.now()) == 1
    drive_until(lambda: Fleet.objects.get().deleted_at is not None)
    assert control(emulator, "GET", "left") == {"fleets": [], "sandboxes": [], "keys": []}
    page = browser.get(here)
    text = page.content.decode()
    assert "+2 more accepted" in text
    assert "Say &lt;b&gt;something&lt;/b&gt;." in text
    assert page.context["view"].differences.accepted.is_better is True
    tab = browser.get(reverse("fleets:profile_detail", args=["reviewer"]), {"tab": "revisions"})
    assert "tried: 2 of 2 vs 0 of 2" in tab.content.decode()
    results = browser.get(tab.request["PATH_INFO"], {"tab": "results"})
    assert list(results.context["results"]) == []
    assert "6 turns of" in results.content.decode()
    event = AuditEvent.objects.get(act="profile.try")
    assert (event.after["revision"], event.after["against"]) == (2, 1)

    with pytest.raises(Conflict, match="no examples yet"):
        start_trial(profile, order, actor=actor, idempotency_key="form-2")
