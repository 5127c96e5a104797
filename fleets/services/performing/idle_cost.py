"""What fleets still cost once their work is stopped: the closing line of every stop."""

from fleets.domain.money import show_per_hour
from fleets.domain.prices import MACHINE_SIZES
from fleets.models import Fleet, Machine


def idle_nusd_per_hour(fleet: Fleet) -> int | None:
    """What the fleet's running machines cost in an hour; None when their size has no price."""
    size = MACHINE_SIZES.get(fleet.size)
    if size is None:
        return None
    return _running(fleet) * size.nusd_per_hour


def what_still_costs(*fleets: Fleet) -> str:
    """One sentence: which machines of these fleets stay, and what they cost an hour."""
    with_machines = [(fleet, count) for fleet in fleets if (count := _running(fleet))]
    running = sum(count for _, count in with_machines)
    if not running:
        return "Nothing of it costs any more."
    noun = "machine stays" if running == 1 else "machines stay"
    costs = [idle_nusd_per_hour(fleet) for fleet, _ in with_machines]
    known = [cost for cost in costs if cost is not None]
    return f"{running} {noun}, ~ {show_per_hour(sum(known) if len(known) == len(costs) else None)}."


def _running(fleet: Fleet) -> int:
    return Machine.objects.filter(fleet=fleet, gone_at__isnull=True, status="running").count()
