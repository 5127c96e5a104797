"""Which key signs, what it may do, and the plan's requests per minute."""

from starlette.datastructures import Headers

from emulator.entities import Key
from emulator.errors import forbidden, rate_limited, unauthorized
from emulator.world import World, hash_secret

_PRODUCTS = {"sandbox": "sandbox", "id": None, "router": "router"}


def authenticate(world: World, headers: Headers) -> Key:
    """The live key of the Bearer header; 401 otherwise."""
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    key_id = world.keys_by_hash.get(hash_secret(secret.strip()))
    if scheme.lower() != "bearer" or key_id is None:
        raise unauthorized()
    key = world.ledger.keys[key_id]
    now_ms = world.now_ms()
    expired = key.expires_ms is not None and key.expires_ms <= now_ms
    if expired or any(one.revoked_ms is not None for one in world.ledger.chain(key)):
        raise unauthorized()
    key.last_used_ms = now_ms
    return key


def check_product(key: Key, *, base: str) -> None:
    """A key made for another product is refused (contract 1.2)."""
    wanted = _PRODUCTS[base]
    if wanted is not None and key.product not in (None, wanted):
        raise forbidden(f"This key is for {key.product}, not for {wanted}.")


def check_rate(world: World) -> None:
    """A sliding window (60 s) for the whole account; refused requests do not count."""
    limit, window_ms = world.dials.rate_per_minute, _window_ms(world)
    if limit <= 0:
        return
    now_ms = world.now_ms()
    arrivals = world.arrivals
    while arrivals and arrivals[0] <= now_ms - window_ms:
        arrivals.popleft()
    if len(arrivals) >= limit:
        wait_ms = arrivals[len(arrivals) - limit] + window_ms - now_ms
        raise rate_limited(
            current=len(arrivals), limit=limit, retry_after_s=max(1, -(-wait_ms // 1000))
        )
    arrivals.append(now_ms)


def is_related(world: World, key: Key, *, to_id: str) -> bool:
    """True when one of the two keys is the other or an ancestor of it."""
    other = world.ledger.keys[to_id]
    return other in world.ledger.chain(key) or key in world.ledger.chain(other)


def check_turn_key(world: World, key: Key, *, owner: Key) -> bool:
    """403 unless the key may run turns on the owner's machine; True = outside its budget.

    Contract 10, row 31: a budgeted fleet's turns carry the fleet key, never the account's.
    """
    if key.id == owner.id:
        return False
    if key.parent_id is None and owner.budget_nusd is not None:
        raise forbidden("A turn on a budgeted fleet needs the fleet's key, not the account key.")
    if not is_related(world, key, to_id=owner.id):
        raise forbidden("This key is another fleet's.")
    return True


def requests_left(world: World) -> tuple[int, int, int]:
    """(limit, requests left in the window, seconds until one more is free); limit 0 = none."""
    limit = world.dials.rate_per_minute
    if limit <= 0 or not world.arrivals:
        return limit, limit, 0
    wait_ms = world.arrivals[0] + _window_ms(world) - world.now_ms()
    return limit, max(0, limit - len(world.arrivals)), max(0, -(-wait_ms // 1000))


def _window_ms(world: World) -> int:
    return round(world.dials.rate_window_s * 1000)
