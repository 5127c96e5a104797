"""What model calls and machines cost, and how large machines are.

Ours, dated: no public source gives them (contract rows 19 and 34). A missing price is None, shown
as a dash with a warning, never as zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

PRICES_AS_OF: Final = date(2026, 11, 29)

VCPU_NUSD_PER_S: Final = 10_000
MEMORY_NUSD_PER_GIB_S: Final = 1_000
_MIB_PER_GIB: Final = 1_024


@dataclass(frozen=True, slots=True)
class ModelPrice:
    """Prices of one model in nusd per token; 1 nusd per token is $0.001 per million.

    `cached` is input read from the provider's cache. `largest_output_tokens` bounds one answer.
    """

    provider: str
    name: str
    input_nusd: int
    cached_nusd: int
    output_nusd: int
    reasoning_nusd: int
    largest_output_tokens: int
    effective: date = PRICES_AS_OF
    source: str = "our reference table"

    @property
    def full_name(self) -> str:
        """`provider/model`."""
        return f"{self.provider}/{self.name}"

    def cost_nusd(
        self,
        *,
        fresh_tokens: int,
        cached_tokens: int,
        output_tokens: int,
        reasoning_tokens: int = 0,
    ) -> int:
        """What such a call costs; `output_tokens` are those without the reasoning."""
        return (
            fresh_tokens * self.input_nusd
            + cached_tokens * self.cached_nusd
            + output_tokens * self.output_nusd
            + reasoning_tokens * self.reasoning_nusd
        )


@dataclass(frozen=True, slots=True)
class MachineSize:
    """A named size of machine."""

    name: str
    vcpus: int
    memory_mib: int
    disk_gib: int

    @property
    def nusd_per_s(self) -> int:
        """What the machine costs while it runs, each second."""
        memory = -(-self.memory_mib * MEMORY_NUSD_PER_GIB_S // _MIB_PER_GIB)
        return self.vcpus * VCPU_NUSD_PER_S + memory

    @property
    def nusd_per_hour(self) -> int:
        """What the machine costs while it runs, each hour."""
        return self.nusd_per_s * 3_600


def _price(full_name: str, costs: tuple[int, int, int], *, largest: int) -> ModelPrice:
    # Every provider of this table bills reasoning as output.
    provider, _, name = full_name.partition("/")
    fresh, cached, output = costs
    return ModelPrice(provider, name, fresh, cached, output, output, largest)


_TABLE: Final = (
    _price("openai/gpt-4.1-mini", (400, 100, 1_600), largest=32_768),
    _price("openai/gpt-4.1", (2_000, 500, 8_000), largest=32_768),
    _price("openai/gpt-4.1-nano", (100, 25, 400), largest=32_768),
    _price("openai/gpt-5.5", (1_750, 175, 14_000), largest=128_000),
    _price("anthropic/claude-sonnet-5-5", (3_000, 300, 15_000), largest=64_000),
    _price("anthropic/claude-opus-5-5", (5_000, 500, 25_000), largest=64_000),
    _price("zai/glm-5.2", (600, 110, 2_200), largest=32_768),
    _price("zai/glm-5.3", (700, 130, 2_600), largest=32_768),
)

MODEL_PRICES: Final[Mapping[str, ModelPrice]] = {
    **{price.full_name: price for price in _TABLE},
    **{price.name: price for price in _TABLE},
}

# The ids as the router's public examples write them, for the launch page's list.
OFFERED_MODELS: Final[tuple[str, ...]] = tuple(
    price.name if price.name.startswith("gpt-4") else price.full_name for price in _TABLE
)

MACHINE_SIZES: Final[Mapping[str, MachineSize]] = {
    size.name: size
    for size in (
        MachineSize("nano", vcpus=1, memory_mib=1_024, disk_gib=10),
        MachineSize("small", vcpus=2, memory_mib=4_096, disk_gib=20),
        MachineSize("medium", vcpus=4, memory_mib=8_192, disk_gib=40),
        MachineSize("large", vcpus=8, memory_mib=16_384, disk_gib=80),
    )
}


def model_price(model: str) -> ModelPrice | None:
    """The price of a model by its router id, with or without the provider; None if unknown."""
    return MODEL_PRICES.get(model)


def provider_of(model: str) -> str | None:
    """The provider of a model id, None where neither the id nor our table says."""
    provider, slash, _ = model.rpartition("/")
    if slash:
        return provider
    price = model_price(model)
    return price.provider if price else None
