"""One round of a spawner: a model call, and a child fleet while it wants one and may."""

from emulator.call_rates import take_turn
from emulator.entities import Fleet, Spawner
from emulator.errors import ApiError
from emulator.ids import digest
from emulator.lifecycle import start_creates
from emulator.modelcalls import not_servable
from emulator.prices import PRESETS, call_cost_nusd, find_model, worst_case_nusd
from emulator.quotas import check_room
from emulator.resources.fleets import add_machine
from emulator.resources.keys import new_key
from emulator.resources.sandbox_body import read_machine
from emulator.world import World

INPUT_TOKENS, OUTPUT_TOKENS = 4_000, 300
# What each child fleet gets, as in the measured example of $0.30 and two children.
CHILD_BUDGET_NUSD = 120_000_000
GIVES_UP_AFTER = 3


def spawner_due(world: World, spawner_id: str) -> None:
    """The scheduler's call: end the call in flight, then go on unless nothing is admitted."""
    spawner = world.spawners.get(spawner_id)
    if spawner is None or not spawner.is_running or spawner.due_ms > world.now_ms():
        return
    world.touch(spawner)
    _settle(world, spawner)
    machine = world.machines[spawner.sandbox_id]
    if machine.status != "running" or machine.deleting:
        spawner.is_running = False
        return
    spawner.rounds += 1
    admitted = _call(world, spawner)
    if spawner.made < spawner.children:
        admitted = _make_child(world, spawner) or admitted
    spawner.refused = 0 if admitted else spawner.refused + 1
    if spawner.refused >= GIVES_UP_AFTER:
        spawner.is_running = False
        return
    spawner.due_ms += spawner.every_ms
    world.scheduler.at(spawner.due_ms, kind="spawner", entity_id=spawner.id)


def _call(world: World, spawner: Spawner) -> bool:
    """Begin a model call; False when the router refuses it."""
    key = world.ledger.keys[spawner.key_id]
    price = find_model(spawner.model)
    if price is None or not_servable(world, key, model=spawner.model) is not None:
        return False
    if take_turn(world, key) is not None:
        return False
    amount = worst_case_nusd(price, input_tokens=INPUT_TOKENS, output_limit=spawner.output_limit)
    now_ms = world.now_ms()
    try:
        world.ledger.hold(key, amount=amount, ref=f"{spawner.id}:{spawner.rounds}", now_ms=now_ms)
    except ApiError:
        return False
    spawner.held_nusd, spawner.held_ms = amount, now_ms
    return True


def _settle(world: World, spawner: Spawner) -> None:
    price = find_model(spawner.model)
    if price is None or spawner.held_nusd is None or spawner.held_ms is None:
        return
    cost = call_cost_nusd(price, fresh=INPUT_TOKENS, cached=0, output=OUTPUT_TOKENS)
    world.ledger.settle(
        world.ledger.keys[spawner.key_id],
        held=spawner.held_nusd,
        actual=min(cost, spawner.held_nusd),
        ref=f"{spawner.id}:{spawner.rounds}",
        held_ms=spawner.held_ms,
        now_ms=world.now_ms(),
    )
    spawner.held_nusd = spawner.held_ms = None
    spawner.calls += 1


def _make_child(world: World, spawner: Spawner) -> bool:
    """Mint a child key and create a fleet with it; False when there is no room."""
    above = world.ledger.keys[spawner.key_id]
    if any(one.revoked_ms is not None for one in world.ledger.chain(above)):
        return False
    now_ms = world.now_ms()
    key, _secret = new_key(above, now_ms=now_ms)
    key.parent_id, key.name, key.budget_nusd = above.id, "spawned", CHILD_BUDGET_NUSD
    try:
        check_room(world, machines=1)
        world.ledger.mint(key, now_ms=now_ms)
    except ApiError:
        return False
    world.keys_by_hash[key.secret_hash] = key.id
    fleet = Fleet(
        id="fleet-" + digest(world.config.seed, spawner.id, spawner.made)[:12],
        key_id=key.id,
        created_ms=now_ms,
        parent={"fleetId": spawner.fleet_id, "agentId": spawner.session_id},
        policy={},
        metadata={},
        concurrent_creates=1,
        cleanup_on_failure=False,
        idempotency_key=None,
        body_digest="",
    )
    world.fleets[fleet.id] = fleet
    wanted = {"machineId": "m-1", "resources": PRESETS["nano"]}
    add_machine(
        world, fleet, read_machine(world, wanted, role="worker", longest_s=None, where="spawned")
    )
    start_creates(world, fleet)
    world.touch(fleet)
    spawner.made += 1
    return True
