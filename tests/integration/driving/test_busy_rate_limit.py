"""Somebody else uses up the requests of the account too: the fleet waits, people do not see it."""

import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.apps import apps
from django.db import models
from django.test import Client
from django.urls import reverse

from emulator.server import EmulatorThread
from fleets.models import Connection, Fleet, Operation, Turn
from fleets.services.actor import Actor
from tests.integration.driving.launching import launch
from tests.support.driver import control, drive_to_end, drive_until

# What a plan of 900 allows, in small: fifteen a second. We believe in twice as much, as others take
# their share unseen.
WINDOW_S = 1
REQUESTS = 15
PER_MINUTE = 2 * REQUESTS * 60 // WINDOW_S
# These are refused once for certain, however slow this machine is: seconds to wait. Beyond five the
# client hands the refusal up, and the order itself must wait.
MET = {"fleets.create": 6, "sessions.dispatch": 1}
# What would tell a person that requests were refused.
WORDS = ("too many requests", "ratelimited", "rate limit", "quota_exceeded")


class Neighbour:
    """Somebody else's program on the same account, which takes a third of its requests."""

    def __init__(self, emulator: EmulatorThread) -> None:
        self.over = threading.Event()
        self.answers: list[int] = []
        self._url = f"{emulator.sandbox_url}/v1/fleets?limit=1"
        self._headers = {"Authorization": f"Bearer {emulator.config.account_key}"}
        self._thread = threading.Thread(target=self._ask, name="neighbour")

    def __enter__(self) -> "Neighbour":
        self._thread.start()
        return self

    def __exit__(self, *_failure: object) -> None:
        self.over.set()
        self._thread.join()

    def _ask(self) -> None:
        with httpx.Client(verify=False, trust_env=False, headers=self._headers) as client:
            while not self.over.wait(WINDOW_S / REQUESTS * 3):
                self.answers.append(client.get(self._url).status_code)


@pytest.fixture
def neighbour(emulator: EmulatorThread) -> Iterator[Neighbour]:
    dials = {"rate_per_minute": REQUESTS, "rate_window_s": WINDOW_S}
    control(emulator, "POST", "dials", dials)
    for operation, wait_s in MET.items():
        fault = {"operation": operation, "kind": "rate_limit", "retryAfter": wait_s, "count": 1}
        control(emulator, "POST", "faults", fault)
    with Neighbour(emulator) as made:
        yield made


def told_to_people() -> dict[str, str]:
    """Every stored text that speaks of a refused request, by where it stands."""
    found = {}
    for model in apps.get_app_config("fleets").get_models():
        fields = [
            field.name
            for field in model._meta.fields
            if isinstance(field, models.CharField | models.TextField | models.JSONField)
        ]
        for row in model._default_manager.values(*fields) if fields else []:
            for name, value in row.items():
                if any(word in str(value).lower() for word in WORDS):
                    found[f"{model.__name__}.{name}"] = str(value)[:200]
    return found


def refused(emulator: EmulatorThread) -> list[str]:
    """The operations that the platform refused for their number."""
    entries: list[dict[str, Any]] = control(emulator, "GET", "journal")["entries"]
    return [entry["operation"] for entry in entries if entry["status"] == 429]


def test_a_fleet_of_twelve_finishes_and_nobody_reads_of_a_429(
    emulator: EmulatorThread, actor: Actor, neighbour: Neighbour, client: Client
) -> None:
    Connection.objects.update(rate_per_minute=PER_MINUTE)
    fleet = launch(actor, prompt="[[ok]] [[calls 2]] Part {index}.")
    leaked: dict[str, str] = {}

    def is_over_or_leaks() -> bool:
        leaked.update(told_to_people())
        return bool(leaked) or Fleet.objects.filter(work_ended_at__isnull=False).exists()

    drive_until(is_over_or_leaks)
    assert leaked == {}
    drive_to_end(fleet)
    assert (fleet.state, fleet.tasks_completed) == ("finished", 12)
    # Nobody's turn was tried twice for want of a request.
    turns = Turn.objects.filter(run__fleet=fleet)
    assert [turn.attempt for turn in turns] == [1] * 12

    assert actor.user is not None
    client.force_login(actor.user)
    (order,) = Operation.objects.filter(fleet=fleet)
    assert (order.state, order.failures) == ("done", 0)
    # It was busy: without the waiting there would have been something to read.
    assert set(MET) <= set(refused(emulator))
    for page in (
        reverse("fleets:fleet_detail", args=[fleet.public_id]),
        reverse("fleets:operation_detail", args=[order.public_id]),
        reverse("fleets:fleet_list"),
    ):
        text = client.get(page).content.decode().lower()
        assert [word for word in WORDS if word in text] == [], page
