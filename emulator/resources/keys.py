"""Keys (contract 5): mint, read, list, patch, revoke."""

import secrets
from typing import Any

from emulator.calls import Answer, Call
from emulator.clock import iso, parse_iso
from emulator.entities import Key
from emulator.errors import bad_request, not_found
from emulator.money import Usd, usd_or_none
from emulator.strict import (
    INT,
    NUMBER,
    TEXT,
    TEXTS,
    check_fields,
    positive,
    read_budget,
)
from emulator.world import World, hash_secret

PRODUCTS = ("router", "sandbox", "hub", "intelligence", "blueprint-agent", "evals")
_PATCH = {
    "name": TEXT,
    "budgetUsd": NUMBER,
    "allowedModels": TEXTS,
    "rpmLimit": INT,
    "expiresAt": TEXT,
}
_MINT = {**_PATCH, "parentKeyId": TEXT, "product": TEXT, "projectId": TEXT}


def mint(call: Call) -> Answer:
    """A child of the signing key, or of `parentKeyId` below it; the secret is shown once."""
    body, world = call.body, call.world
    check_fields(body, where="body", fields=_MINT, required=("name",))
    parent = find_key(call, body["parentKeyId"]) if "parentKeyId" in body else call.key
    if parent.revoked_ms is not None:
        raise not_found("key", parent.id)
    product = body.get("product", parent.product)
    if product is not None and (product not in PRODUCTS or parent.product not in (None, product)):
        raise bad_request("product must be the parent's, or a known one.", field="product")
    budget_nusd = None
    if "budgetUsd" in body:
        positive(body, where="body", names=("budgetUsd",))
        budget_nusd = read_budget(body["budgetUsd"], where="body.budgetUsd")
    _check_limits(body, parent=parent)
    now_ms = world.now_ms()
    key, secret = new_key(parent, now_ms=now_ms)
    key.parent_id, key.name = parent.id, body["name"]
    key.product, key.budget_nusd = product, budget_nusd
    key.project_id = body.get("projectId", parent.project_id)
    key.expires_ms = _expiry(body, now_ms=now_ms)
    _limit(key, body)
    world.ledger.mint(key, now_ms=now_ms)
    world.keys_by_hash[key.secret_hash] = key.id
    call.entry.ids["minted"] = key.id
    return _ok(minted(world, key, secret=secret), status=201)


def new_key(like: Key, *, now_ms: int) -> tuple[Key, str]:
    """A key with what another one allows, nothing spent, and its secret."""
    secret = f"sk-tan-{secrets.token_hex(24)}"
    key = Key(
        id=f"key-{secrets.token_hex(8)}",
        secret_hash=hash_secret(secret),
        prefix=secret[:11],
        name=like.name,
        parent_id=like.parent_id,
        created_ms=now_ms,
        product=like.product,
        project_id=like.project_id,
        allowed_models=like.allowed_models,
        rpm_limit=like.rpm_limit,
        expires_ms=like.expires_ms,
        metered_ms=now_ms,
    )
    return key, secret


def minted(world: World, key: Key, *, secret: str) -> dict[str, Any]:
    """The answer that shows the secret, once."""
    return {
        "id": key.id,
        "key": secret,
        "prefix": key.prefix,
        "name": key.name,
        "product": key.product,
        "budgetUsd": usd_or_none(key.budget_nusd),
        "budgetRemaining": usd_or_none(world.ledger.remaining(key)),
    }


def _check_limits(body: dict[str, Any], *, parent: Key | None) -> None:
    """Models and calls per minute: inherited, or less than the parent's (contract 5)."""
    models, limit = body.get("allowedModels"), body.get("rpmLimit")
    above = None if parent is None else parent.allowed_models
    if models is not None and above is not None and not set(models) <= set(above):
        raise bad_request("allowedModels has a model that the parent lacks.", field="allowedModels")
    highest = None if parent is None else parent.rpm_limit
    if limit is not None and highest is not None and limit > highest:
        raise bad_request("rpmLimit is above the parent's.", field="rpmLimit")


def _limit(key: Key, body: dict[str, Any]) -> None:
    key.allowed_models = body.get("allowedModels", key.allowed_models)
    key.rpm_limit = body.get("rpmLimit", key.rpm_limit)


def read(call: Call) -> Answer:
    key = find_key(call, call.params["keyId"])
    call.world.ledger.accrue(call.world.now_ms())
    return _ok(row(call.world, key))


def list_keys(call: Call) -> Answer:
    """The signing key, or with `children=true` every key below it, revoked ones included."""
    children = call.query.get("children", "false")
    if children not in ("true", "false"):
        raise bad_request("children must be true or false.", field="children")
    call.world.ledger.accrue(call.world.now_ms())
    keys = [call.key] if children == "false" else call.world.ledger.descendants(call.key.id)
    return _ok([row(call.world, key) for key in keys])


def patch(call: Call) -> Answer:
    """A budget below what is spent and reserved is accepted: it cuts off (row 24)."""
    body, world = call.body, call.world
    check_fields(body, where="body", fields=_PATCH)
    key = find_key(call, call.params["keyId"])
    if key.revoked_ms is not None:
        raise not_found("key", key.id)
    now_ms = world.now_ms()
    expires_ms = _expiry(body, now_ms=now_ms)
    _check_limits(body, parent=world.ledger.keys.get(key.parent_id or ""))
    if "budgetUsd" in body:
        budget_nusd = read_budget(body["budgetUsd"], where="body.budgetUsd")
        world.ledger.set_budget(key, budget_nusd=budget_nusd, now_ms=now_ms)
    if expires_ms is not None:
        key.expires_ms = expires_ms
    key.name = body.get("name", key.name)
    _limit(key, body)
    world.ledger.dirty_keys.add(key.id)
    return _ok(row(world, key))


def revoke(call: Call) -> Answer:
    """Revokes the key and its descendants; a second time changes nothing."""
    check_fields(call.body, where="body", fields={})
    key = find_key(call, call.params["keyId"])
    if key.parent_id is None:
        raise bad_request("The account's own key cannot be revoked here.")
    revoked = call.world.ledger.revoke(key, now_ms=call.world.now_ms())
    return _ok({"id": key.id, "revoked": [one.id for one in revoked]})


def row(world: World, key: Key) -> dict[str, Any]:
    """The key row with the two figures of contract 10, row 16."""
    return {
        "id": key.id,
        "keyPrefix": key.prefix,
        "name": key.name,
        "parentKeyId": key.parent_id,
        "product": key.product,
        "projectId": key.project_id,
        "budgetUsd": usd_or_none(key.budget_nusd),
        "budgetSpent": Usd(key.spent_nusd),
        "budgetReserved": Usd(key.reserved_nusd),
        "budgetRemaining": usd_or_none(world.ledger.remaining(key)),
        "allowedModels": key.allowed_models,
        "rpmLimit": key.rpm_limit,
        "expiresAt": _moment(key.expires_ms),
        "lastUsedAt": _moment(key.last_used_ms),
        "revokedAt": _moment(key.revoked_ms),
        "createdAt": iso(key.created_ms),
    }


def find_key(call: Call, key_id: str) -> Key:
    """A key sees itself and what is below it; anything else is not there."""
    key = call.world.ledger.keys.get(key_id)
    if key is None or call.key not in call.world.ledger.chain(key):
        raise not_found("key", key_id)
    return key


def _expiry(body: dict[str, Any], *, now_ms: int) -> int | None:
    if "expiresAt" not in body:
        return None
    expires_ms = parse_iso(body["expiresAt"])
    if expires_ms is None or expires_ms <= now_ms:
        raise bad_request("expiresAt must be an ISO instant in the future.", field="expiresAt")
    return expires_ms


def _moment(at_ms: int | None) -> str | None:
    return None if at_ms is None else iso(at_ms)


def _ok(data: Any, *, status: int = 200) -> Answer:
    return Answer({"success": True, "data": data}, status=status)
