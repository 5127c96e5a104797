"""`manage.py profiles try` does what the page does, and prints what it came to."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from emulator.server import EmulatorThread
from fleets.management.fleet_commands import exit_codes
from fleets.models import Fleet, Profile, ProfileExample
from fleets.services.actor import Actor
from tests.factories import ProfileFactory, ProfileRevisionFactory


def trying(*words: str) -> tuple[int, str, str]:
    """The exit code of `profiles try reviewer WORDS…`, and what it printed."""
    out, err = StringIO(), StringIO()
    try:
        call_command("profiles", "try", "reviewer", *words, stdout=out, stderr=err)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


@pytest.fixture
def profile(actor: Actor) -> Profile:
    made: Profile = ProfileFactory(slug="reviewer")
    ProfileRevisionFactory(profile=made, body={"name": "reviewer", "harness": "codex"})
    return made


def example(profile: Profile, **changes: Any) -> None:
    asked = {"prompt": "[[ok]] Say it.", "acceptance": {"check": {"kind": "not_empty"}}}
    ProfileExample.objects.create(profile=profile, position=1, **{**asked, **changes})


def test_the_newest_is_tried_against_the_head_and_its_figures_printed(
    driving: None, emulator: EmulatorThread, profile: Profile
) -> None:
    example(profile)
    code, out, err = trying("--wait")
    assert code == exit_codes.ALL_COMPLETED, err
    assert "2 turns in reviewer r2 against r1" in err
    lines = out.splitlines()
    assert lines[0].split() == ["r1", "r2"]
    assert lines[1].split("  ")[0] == "accepted"
    assert lines[1].count("1 of 1") == 2
    assert "as many accepted" in lines[1]
    assert Fleet.objects.get().budget_nusd is not None


def test_what_cannot_be_tried_is_said(profile: Profile) -> None:
    assert trying()[0] == exit_codes.BAD_INPUT
    assert "no examples yet" in trying()[2]
    example(profile)
    for words, said in (
        (("--revision", "9"), "There is no revision of reviewer r9"),
        (("--revision", "x"), "--revision is the number of a revision"),
        (("--budget-usd", "0.001"), "more than the budget"),
        (("--against", "2"), "cannot be compared with itself"),
    ):
        code, _, err = trying(*words)
        assert (code, said in err) == (exit_codes.BAD_INPUT, True), err
    assert not Fleet.objects.exists()
