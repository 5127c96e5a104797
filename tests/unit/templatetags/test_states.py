"""Every word of state has a look, and a strange word does not break a page."""

import re
from enum import StrEnum
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template

from fleets.domain.status import FleetState, OperationState, TaskState, TurnOutcome, TurnState
from fleets.templatetags.states import LOOKS, look

STATIC = Path(settings.BASE_DIR) / "static"


def rendered(source: str, **context: object) -> str:
    return Template(source).render(Context(context))


@pytest.mark.parametrize("words", [FleetState, TurnState, TurnOutcome, TaskState, OperationState])
def test_every_word_of_the_domain_has_a_look(words: type[StrEnum]) -> None:
    assert [word.value for word in words if word.value not in LOOKS] == []


def test_every_look_uses_a_state_that_the_styles_colour() -> None:
    styles = (STATIC / "css" / "base.css").read_text()
    coloured = set(re.findall(r'\[data-state="([\w-]+)"\]', styles))
    assert {shown.css for shown in LOOKS.values()} <= coloured


def test_every_look_uses_an_icon_of_the_sprite() -> None:
    sprite = (STATIC / "icons" / "icons.svg").read_text()
    drawn = set(re.findall(r'id="i-([\w-]+)"', sprite))
    assert {shown.icon for shown in LOOKS.values()} <= drawn


def test_a_word_never_heard_of_stays_as_the_platform_sent_it() -> None:
    assert look("RESUMING_V2").label == "RESUMING_V2"
    assert look("RESUMING_V2").css == "queued"


def test_no_word_is_an_unknown_outcome() -> None:
    assert look(None).css == "unknown"
    assert look("").label == "Unknown"


def test_budget_exhaustion_is_not_shown_as_a_failure() -> None:
    assert look("budget_exhausted").css == "budget"


def test_a_pill_has_icon_word_and_colour() -> None:
    html = rendered('{% pill "timed_out" %}')
    assert 'data-state="timed-out"' in html
    assert "#i-timer-off" in html
    assert "Timed out" in html


def test_a_pill_with_a_count_reads_as_a_phrase() -> None:
    assert ">3 failed</span>" in rendered('{% pill "failed" count=3 %}')
    assert ">1,234 budget out</span>" in rendered('{% pill "budget_exhausted" count=1234 %}')


def test_a_hostile_word_is_escaped() -> None:
    assert "<script>" not in rendered("{% pill word %}", word="<script>alert(1)</script>")
