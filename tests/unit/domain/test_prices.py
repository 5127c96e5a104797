"""Prices, sizes and harnesses."""

import pytest

from fleets.domain.harnesses import HARNESSES, harness_named
from fleets.domain.money import show
from fleets.domain.prices import (
    MACHINE_SIZES,
    MODEL_PRICES,
    OFFERED_MODELS,
    model_price,
    provider_of,
)


def test_a_model_is_found_with_and_without_its_provider() -> None:
    assert model_price("openai/gpt-4.1-mini") == model_price("gpt-4.1-mini") is not None


def test_the_same_model_of_another_provider_has_no_price_here() -> None:
    assert model_price("elsewhere/gpt-4.1-mini") is None


def test_a_missing_price_is_unknown_and_not_zero() -> None:
    assert model_price("no-such-model") is None
    assert provider_of("no-such-model") is None


def test_every_model_offered_has_a_price_and_an_effective_date() -> None:
    prices = [MODEL_PRICES[model] for model in OFFERED_MODELS]
    assert all(price.effective.year >= 2026 and price.output_nusd > 0 for price in prices)
    assert all(price.cached_nusd <= price.input_nusd for price in prices)


def test_a_call_costs_its_tokens_times_their_prices() -> None:
    price = MODEL_PRICES["gpt-4.1-mini"]
    cost = price.cost_nusd(
        fresh_tokens=1_000, cached_tokens=1_000, output_tokens=100, reasoning_tokens=10
    )
    assert cost == 1_000 * 400 + 1_000 * 100 + 110 * 1_600


@pytest.mark.parametrize(
    ("name", "per_hour"),
    [("nano", "$0.0396"), ("small", "$0.0864"), ("medium", "$0.1728"), ("large", "$0.3456")],
)
def test_a_machine_costs_what_its_size_says(name: str, per_hour: str) -> None:
    assert show(MACHINE_SIZES[name].nusd_per_hour) == per_hour


def test_all_sixteen_harnesses_are_known() -> None:
    assert len(HARNESSES) == 16
    assert harness_named("claude") is None


def test_provider_locks_and_missing_choices_are_those_of_the_contract() -> None:
    locks = {name: item.provider for name, item in HARNESSES.items() if item.provider}
    assert locks == {"claude-code": "anthropic", "codex": "openai", "kimi-code": "moonshot"}
    without_choice = {name for name, item in HARNESSES.items() if not item.has_model_choice}
    assert without_choice == {"amp", "openclaw", "nanoclaw"}
    assert HARNESSES["codex"].api_key_env == "OPENAI_API_KEY"
