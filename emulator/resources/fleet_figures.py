"""What a fleet used and what it costs (contract 4.1)."""

from emulator.calls import Answer, Call
from emulator.lifecycle import runtime_ms
from emulator.money import Usd
from emulator.prices import compute_nusd_per_s
from emulator.resources.fleets import find_fleet

HOUR_S = 3_600


def usage(call: Call) -> Answer:
    """Running time by machine; null before any machine ran."""
    world = call.world
    machines = world.machines_of(find_fleet(world, call.params["fleetId"]))
    ran = {one.machine_id: runtime_ms(world, one) for one in machines if one.started_ms is not None}
    metered = {"runtimeMs": sum(ran.values()), "machineRuntimeMs": ran} if ran else None
    body = {
        "runningMachines": sum(one.status == "running" for one in machines),
        "failedMachines": sum(one.status == "failed" for one in machines),
        "meteredUsage": metered,
    }
    return Answer({"usage": body})


def cost(call: Call) -> Answer:
    """What an hour of the machines that run now costs, without any model call."""
    world = call.world
    machines = world.machines_of(find_fleet(world, call.params["fleetId"]))
    rates = {
        one.machine_id: compute_nusd_per_s(one.resources) * HOUR_S
        for one in machines
        if one.status == "running"
    }
    estimate = {
        "hourlyUsd": Usd(sum(rates.values())),
        "machineHourlyUsd": {name: Usd(rate) for name, rate in rates.items()},
    }
    return Answer({"estimate": estimate})
