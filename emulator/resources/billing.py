"""The account's balance and transactions, both read from the ledger (contract 5)."""

from typing import Any

from emulator.calls import Answer, Call
from emulator.clock import iso
from emulator.entities import Entry
from emulator.errors import bad_request, forbidden
from emulator.money import NUSD_PER_USD, Usd
from emulator.strict import read_page

_TYPES = {"settle": "inference", "compute": "compute"}
_PRODUCTS = {"inference": "router", "compute": "sandbox"}


def balance(call: Call) -> Answer:
    world = call.world
    _account_only(call)
    now_ms = world.now_ms()
    world.ledger.accrue(now_ms)
    spent = world.account.spent_nusd
    credit = world.dials.credit_usd * NUSD_PER_USD
    data = {"balance": Usd(credit - spent), "lifetimeSpent": Usd(spent), "updatedAt": iso(now_ms)}
    return Answer({"success": True, "data": data})


def transactions(call: Call) -> Answer:
    """Charges, newest first; amounts are negative."""
    _account_only(call)
    limit, _offset = read_page(call.query)
    product, key_id = call.query.get("product"), call.query.get("keyId")
    if product not in (None, *_PRODUCTS.values()):
        raise bad_request("product must be router or sandbox.", field="product")
    call.world.ledger.accrue(call.world.now_ms())
    rows: list[dict[str, Any]] = []
    for entry in reversed(call.world.ledger.entries):
        if entry.kind not in _TYPES or key_id not in (None, entry.key_id):
            continue
        if product in (None, _PRODUCTS[_TYPES[entry.kind]]):
            rows.append(_row(entry))
            if len(rows) == limit:
                break
    return Answer({"success": True, "data": rows})


def _row(entry: Entry) -> dict[str, Any]:
    kind = _TYPES[entry.kind]
    return {
        "id": f"txn-{entry.seq}",
        "amount": Usd(-entry.amount_nusd),
        "type": kind,
        "product": _PRODUCTS[kind],
        "description": "Model call" if kind == "inference" else "Machines, per second",
        "createdAt": iso(entry.at_ms),
        "referenceId": entry.ref,
        "groupKey": entry.ref.partition(":")[0],
        "key_id": entry.key_id,
    }


def _account_only(call: Call) -> None:
    if not call.is_account:
        raise forbidden("Only the account key reads the account's billing.")
