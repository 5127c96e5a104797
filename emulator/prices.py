"""Prices and machine sizes. Ours: no public source gives them (contract 10, rows 19 and 34)."""

from dataclasses import dataclass
from typing import Any

AS_OF = "2026-11-29"

# Per second, in nanodollars; a small machine (2 vCPU, 4 GB) costs $0.0864 an hour.
VCPU_SECOND_NUSD = 10_000
GB_SECOND_NUSD = 1_000


@dataclass(frozen=True, slots=True)
class ModelPrice:
    """Nanodollars per token; reasoning tokens are billed as output."""

    provider: str
    model: str
    input_nusd: int
    cached_input_nusd: int
    output_nusd: int
    largest_output: int


_TABLE = (
    ModelPrice("openai", "gpt-4.1-mini", 400, 100, 1_600, 32_768),
    ModelPrice("openai", "gpt-4.1", 2_000, 500, 8_000, 32_768),
    ModelPrice("openai", "gpt-4.1-nano", 100, 25, 400, 32_768),
    ModelPrice("openai", "gpt-5.5", 1_750, 175, 14_000, 128_000),
    ModelPrice("anthropic", "claude-sonnet-5-5", 3_000, 300, 15_000, 64_000),
    ModelPrice("anthropic", "claude-opus-5-5", 5_000, 500, 25_000, 64_000),
    ModelPrice("zai", "glm-5.2", 600, 110, 2_200, 32_768),
    ModelPrice("zai", "glm-5.3", 700, 130, 2_600, 32_768),
)
MODELS = {f"{price.provider}/{price.model}": price for price in _TABLE}
MODELS |= {price.model: price for price in _TABLE}
DEFAULT_MODEL = "zai/glm-5.2"

PRESETS: dict[str, dict[str, int]] = {
    "nano": {"cpuCores": 1, "memoryMB": 1024, "diskGB": 10},
    "small": {"cpuCores": 2, "memoryMB": 4096, "diskGB": 20},
    "medium": {"cpuCores": 4, "memoryMB": 8192, "diskGB": 40},
    "large": {"cpuCores": 8, "memoryMB": 16384, "diskGB": 80},
}


def find_model(model: str) -> ModelPrice | None:
    """The price of a router model id, with or without its provider; None = unservable."""
    return MODELS.get(model)


def worst_case_nusd(price: ModelPrice, *, input_tokens: int, output_limit: int | None) -> int:
    """What the router holds before a call (contract 10, row 19)."""
    output = price.largest_output
    if output_limit is not None:
        output = min(output, output_limit)
    return input_tokens * price.input_nusd + output * price.output_nusd


def call_cost_nusd(price: ModelPrice, *, fresh: int, cached: int, output: int) -> int:
    """What a call cost: fresh and cached input tokens, output with reasoning."""
    return fresh * price.input_nusd + cached * price.cached_input_nusd + output * price.output_nusd


def compute_nusd_per_s(resources: dict[str, Any]) -> int:
    """A running machine's rate; fractions of a gigabyte are rounded up to a nanodollar."""
    memory = -(-int(resources["memoryMB"]) * GB_SECOND_NUSD // 1024)
    return int(resources["cpuCores"] * VCPU_SECOND_NUSD) + memory
