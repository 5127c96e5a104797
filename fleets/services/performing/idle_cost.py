"""What a fleet still costs once its work is stopped: the closing line of every stop."""

from fleets.domain.money import show_per_hour
from fleets.domain.prices import MACHINE_SIZES
from fleets.models import Fleet, Machine


def idle_nusd_per_hour(fleet: Fleet) -> int | None:
    """What the fleet's running machines cost in an hour; None when their size has no price."""
    size = MACHINE_SIZES.get(fleet.size)
    if size is None:
        return None
    running = Machine.objects.filter(fleet=fleet, gone_at__isnull=True, status="running").count()
    return running * size.nusd_per_hour


def what_still_costs(fleet: Fleet) -> str:
    """One sentence: which machines stay, and what they cost an hour."""
    running = Machine.objects.filter(fleet=fleet, gone_at__isnull=True, status="running").count()
    if not running:
        return "Nothing of it costs any more."
    noun = "machine stays" if running == 1 else "machines stay"
    return f"{running} {noun}, ~ {show_per_hour(idle_nusd_per_hour(fleet))}."
