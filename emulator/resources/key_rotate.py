"""Giving a key a new secret (contract 5)."""

from emulator.calls import Answer, Call
from emulator.entities import Key, Machine
from emulator.errors import bad_request, budget_exceeded, not_found, wrong_state
from emulator.prices import compute_nusd_per_s
from emulator.resources.keys import find_key, minted, new_key
from emulator.world import World


def rotate(call: Call) -> Answer:
    """A new key takes over what is left of the old one, its fleets and machines.

    Ours: refused (409) while the key has live children, as revoking it would revoke them too;
    calls in flight settle on the old key.
    """
    world = call.world
    old = find_key(call, call.params["keyId"])
    if old.parent_id is None:
        raise bad_request("The account's own key cannot be rotated here.")
    if old.revoked_ms is not None:
        raise not_found("key", old.id)
    if any(one.revoked_ms is None for one in world.ledger.descendants(old.id)):
        raise wrong_state("The key has live children.", current="has_children")
    if world.ledger.is_blocked(world.ledger.keys[old.parent_id]):
        raise budget_exceeded("The parent key was cut off.")
    now_ms = world.now_ms()
    world.ledger.accrue(now_ms)
    left_nusd = world.ledger.remaining(old)
    world.ledger.revoke(old, now_ms=now_ms)
    fresh, secret = new_key(old, now_ms=now_ms)
    fresh.budget_nusd = left_nusd
    world.ledger.mint(fresh, now_ms=now_ms)
    world.keys_by_hash[fresh.secret_hash] = fresh.id
    _hand_over(world, old, fresh)
    call.entry.ids["minted"] = fresh.id
    data = {"newKey": minted(world, fresh, secret=secret), "revokedKeyId": old.id}
    return Answer({"success": True, "data": data})


def _hand_over(world: World, old: Key, fresh: Key) -> None:
    for fleet in world.fleets.values():
        if fleet.key_id == old.id:
            fleet.key_id = fresh.id
            world.touch(fleet)
    for machine in world.machines.values():
        if machine.key_id == old.id:
            _move_meter(world, machine, old=old, fresh=fresh)
            machine.key_id = fresh.id
            world.touch(machine)


def _move_meter(world: World, machine: Machine, *, old: Key, fresh: Key) -> None:
    if machine.status != "running":
        return
    rate, now_ms = compute_nusd_per_s(machine.resources), world.now_ms()
    world.ledger.change_rate(old, delta_nusd_per_s=-rate, now_ms=now_ms)
    world.ledger.change_rate(fresh, delta_nusd_per_s=rate, now_ms=now_ms)
