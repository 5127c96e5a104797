"""What the platform offers and what the account used (contract 2.1, 3.6, 4.1)."""

from typing import Any

from emulator.calls import Answer, Call
from emulator.clock import iso
from emulator.harnesses import HARNESSES
from emulator.lifecycle import runtime_ms
from emulator.money import NUSD_PER_USD, Usd
from emulator.offers import CEILING, DRIVERS
from emulator.prices import PRESETS
from emulator.resources.sandboxes import find_machine

JsonObject = dict[str, Any]
DAY_MS = 86_400_000


def shapes(_call: Call) -> Answer:
    presets = [{"name": name, **size} for name, size in PRESETS.items()]
    return Answer({"presets": presets, "default": "small", "ceiling": CEILING})


def backends(call: Call) -> Answer:
    rows = [_backend(name) for name in HARNESSES]
    return Answer({"backends": rows, "timestamp": iso(call.world.now_ms())})


def _backend(name: str) -> JsonObject:
    harness = HARNESSES[name]
    return {
        "type": harness.name,
        "name": harness.title,
        "description": f"{harness.title} as an agent of a sandbox.",
        "capabilities": {
            "streaming": True,
            "toolUse": True,
            "reasoning": True,
            "multimodal": False,
            "imageInput": False,
            "contextWindow": 200_000,
            "mcp": True,
            "sessions": True,
            "configurable": True,
            "interactions": ["question", "approval", "plan"],
        },
    }


def fleet_drivers(_call: Call) -> Answer:
    """`GET /v1/fleets/capabilities`."""
    return Answer({"drivers": [{"driverType": one, "accelerators": []} for one in DRIVERS]})


def driver(call: Call) -> Answer:
    """What runs the machine (contract 2.1)."""
    machine = find_machine(call.world, call.params["sandboxId"])
    most = call.world.dials.max_concurrent_sandboxes or 1_000
    running = sum(one.status == "running" for one in call.world.machines.values())
    return Answer(
        {
            "type": machine.wanted.get("driver", {}).get("type", "docker"),
            "available": True,
            "version": "emulated",
            "capabilities": {
                "criu": False,
                "gpu": False,
                "vsock": False,
                "snapshots": False,
                "userManagement": False,
                "networkIsolation": True,
            },
            "hosts": 1,
            "capacity": {"available": max(0, most - running), "total": most},
        }
    )


def runtime(call: Call) -> Answer:
    """The capabilities document of a machine's sidecar (contract 3.6)."""
    find_machine(call.world, call.params["sandboxId"])
    return Answer(
        {
            "schema": 1,
            "agentInterface": "emulated",
            "sidecarVersion": "emulated",
            "image": "universal",
            "dispatch": {"runControlRef": True, "executionIdOnAdmission": True},
            "cancel": {"canonicalRunCancellation": True, "digestBound": True, "idempotent": True},
            "runs": {"executionScopedStatus": True, "eventReplay": True},
            "interactions": {"responseDedupe": True},
            "interactiveAgent": {},
        }
    )


def usage(call: Call) -> Answer:
    """The account's use; `today` is the emulator's own UTC day."""
    world = call.world
    now_ms = world.now_ms()
    midnight_ms = now_ms - now_ms % DAY_MS
    machines = list(world.machines.values())
    compute_ms = sum(runtime_ms(world, one) for one in machines)
    today_ms = sum(
        min(runtime_ms(world, one), now_ms - max(midnight_ms, one.created_ms)) for one in machines
    )
    data = {
        "orgId": "org-emulated",
        "period": iso(now_ms)[:7],
        "sessionsCreated": len(world.sessions),
        "messagesSent": len(world.executions),
        "computeMs": compute_ms,
        "activeSessionCount": sum(
            one.active_execution_id is not None for one in world.sessions.values()
        ),
        "active_sandboxes": sum(one.status == "running" for one in machines),
        "compute_minutes_today": max(0, today_ms) // 60_000,
        "api_calls_today": sum(world.journal.counts.values()),
        "activeSandboxes": sum(one.status == "running" for one in machines),
        "periodStart": f"{iso(now_ms)[:7]}-01T00:00:00.000Z",
        "periodEnd": iso(now_ms),
    }
    return Answer({"success": True, "data": data})


def subscription(call: Call) -> Answer:
    """The plan, with both the documented fields and those of the newer view."""
    world = call.world
    now_ms = world.now_ms()
    world.ledger.accrue(now_ms)
    left_nusd = world.dials.credit_usd * NUSD_PER_USD - world.account.spent_nusd
    most = world.dials.max_concurrent_sandboxes
    data = {
        "orgId": "org-emulated",
        "plan": world.dials.plan,
        "status": "active",
        "currentPeriodEnd": iso(now_ms + 30 * DAY_MS),
        "limits": {"sessionsPerDay": 0, "maxConcurrent": most, "computeMinutesPerDay": 0},
        "creditsAvailableUsd": Usd(left_nusd),
        "maxConcurrentSandboxes": most,
    }
    return Answer({"success": True, "data": data})
