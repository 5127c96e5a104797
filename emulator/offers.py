"""What the platform offers: plans, egress prices, templates, drivers, the account's ceiling.

Plans and egress: documented (contract 1.3, 9). Templates and the ceiling are ours.
"""

from dataclasses import dataclass
from decimal import Decimal

from emulator.prices import PRESETS

AS_OF = "2026-11-29"
DRIVERS = ("docker", "firecracker", "host-agent", "tangle")
CEILING = {"cpuCores": 16, "memoryMB": 32_768, "diskGB": 160}


@dataclass(frozen=True, slots=True)
class Plan:
    """One plan. `max_sandboxes` 0 = no ceiling on running sandboxes."""

    name: str
    price_cents: int
    credit_usd: int
    rate_per_minute: int
    max_sandboxes: int
    features: tuple[str, ...]


PLANS = {
    "free": Plan("free", 0, 2, 60, 1, ("1 running sandbox", "60 requests per minute")),
    "pro": Plan("pro", 2_900, 30, 300, 0, ("300 requests per minute",)),
    "enterprise": Plan(
        "enterprise", 9_900, 120, 1_000, 0, ("1000 requests per minute", "discount")
    ),
}

EGRESS = {
    "period": "calendar-month",
    "metered": "outbound",
    "bytesPerGb": 1_000_000_000,
    "plans": {
        "free": {"scope": "account", "includedBytes": 107_374_182_400, "beyond": "refused"},
        "pro": {"scope": "sandbox", "includedBytes": 2 * 10**12, "usdPerGb": Decimal("0.05")},
        "enterprise": {
            "scope": "sandbox",
            "includedBytes": 2 * 10**12,
            "usdPerGb": Decimal("0.04"),
        },
    },
}


@dataclass(frozen=True, slots=True)
class Template:
    """A public template: an environment with a size."""

    title: str
    description: str
    environment: str
    resources: dict[str, int]
    is_featured: bool = False


TEMPLATES = {
    "universal": Template(
        "Universal", "Languages and tools for most repositories.", "universal", PRESETS["small"],
        is_featured=True,
    ),
    "python-data": Template(
        "Python for data", "Python with the usual libraries for tables and plots.",
        "python-data", PRESETS["medium"],
    ),
    "browser": Template(
        "Browser", "A headless browser beside Node.", "browser", PRESETS["medium"],
        is_featured=True,
    ),
}  # fmt: skip
