"""Running against the live service: whether it may, and what it may spend."""

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

import pytest

from fleets.platform_api.client import PlatformClient
from fleets.platform_api.errors import PlatformError

TARGET, CAP = "PLATFORM_TARGET", "PLATFORM_SPEND_CAP_USD"
ADDRESSES = ("PLATFORM_SANDBOX_URL", "PLATFORM_ID_URL", "PLATFORM_ROUTER_URL", "PLATFORM_API_KEY")
OUR_CHOICES = "PLATFORM_OUR_CHOICES"
POLL = "PLATFORM_POLL_S"
PREFIX = "fdc-"


def is_live(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the tests are asked to run against the service itself."""
    return environ.get(TARGET) == "live"


def new_run_id() -> str:
    """What the names of all that one run makes begin with; fits ids of every kind."""
    return PREFIX + uuid.uuid4().hex[:10]


def read_cap(environ: Mapping[str, str] = os.environ) -> Decimal:
    """The most that a run may spend in USD. Raises UsageError: without it nothing is started."""
    missing = [name for name in ADDRESSES if not environ.get(name)]
    if missing:
        raise pytest.UsageError(f"{TARGET}=live needs {', '.join(missing)}")
    told = f"{TARGET}=live spends money: say how much at most, for example {CAP}=2"
    try:
        cap_usd = Decimal(environ.get(CAP, ""))
    except InvalidOperation:
        raise pytest.UsageError(told) from None
    if not cap_usd.is_finite() or cap_usd <= 0:
        raise pytest.UsageError(told)
    return cap_usd


@dataclass
class Purse:
    """What this run has spent: as the balance tells it, or as its own keys do, if that is more."""

    cap_usd: Decimal
    started_usd: Decimal | None = None
    told_by_keys_usd: Decimal = field(default=Decimal(0))

    async def before_spending(self, client: PlatformClient, *, up_to_usd: Decimal) -> None:
        """Skips the test that asks when it could pass the cap, or when nobody can tell."""
        balance = (await client.billing.balance()).balance_usd
        if balance is None:
            pytest.skip("the account's balance is not told, so nothing is spent")
        if self.started_usd is None:
            self.started_usd = balance
        spent = max(self.started_usd - balance, self.told_by_keys_usd, Decimal(0))
        if spent + up_to_usd > self.cap_usd:
            pytest.skip(
                f"could pass the cap: ${spent} spent, up to ${up_to_usd} more, cap ${self.cap_usd}"
            )

    async def after_spending(self, client: PlatformClient, key_id: str) -> None:
        """Adds what a test's key says it spent; the balance may lag behind."""
        try:
            row = await client.keys.get(key_id)
        except PlatformError:
            return
        # Where the key does not tell, all that it was allowed counts as spent.
        told = row.budget_usd if row.spent_usd is None else row.spent_usd
        self.told_by_keys_usd += told or Decimal(0)
