"""Money, tokens, memory, shares and identifiers as templates show them."""

import pytest
from django.template import Context, Template

from fleets.templatetags.ids import short_id
from fleets.templatetags.money import memory, tokens


def rendered(source: str, **context: object) -> str:
    return Template(source).render(Context(context))


def test_an_unknown_amount_is_a_dash_and_never_zero() -> None:
    assert rendered("{{ nusd|usd }} {{ nusd|usd_used }} {{ nusd|per_hour }}", nusd=None) == "— — —"


def test_the_exact_amount_is_on_hover_and_on_focus() -> None:
    html = rendered("{% exact_usd nusd %}", nusd=14_123_456)
    assert html == '<span title="$0.014123456" tabindex="0">$0.0141</span>'


def test_an_amount_shown_whole_needs_no_second_form() -> None:
    assert rendered("{% exact_usd nusd %}", nusd=3_000_000_000) == "<span>$3.00</span>"


def test_used_rounds_up_and_remaining_rounds_down() -> None:
    shown = rendered("{{ nusd|usd_used }} {{ nusd|usd_remaining }}", nusd=1_239_000_001)
    assert shown == "$1.24 $1.23"


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "—"), (0, "0"), (9_999, "9,999"), (12_340, "12.3k"), (999_960, "1.0M"),
     (4_100_000, "4.1M")],
)  # fmt: skip
def test_tokens_are_exact_under_ten_thousand(count: int | None, text: str) -> None:
    assert tokens(count) == text


@pytest.mark.parametrize(("mib", "text"), [(None, "—"), (512, "512 MiB"), (3_584, "3.5 GiB")])
def test_memory_is_in_binary_units(mib: int | None, text: str) -> None:
    assert memory(mib) == text


def test_an_identifier_loses_its_middle() -> None:
    assert short_id("sbx_7f2a9c0d1e2f91e1") == "sbx_7f2a…91e1"
    assert short_id("fleet-1") == "fleet-1"
    assert short_id(None) == "—"


def test_the_copy_button_carries_the_whole_identifier() -> None:
    html = rendered('{% copy_id value "sandbox id" %}', value="sbx_7f2a9c0d1e2f91e1")
    assert 'data-copy="sbx_7f2a9c0d1e2f91e1"' in html
    assert 'aria-label="Copy sandbox id"' in html
