"""Secrets by name (contract 2.1): machines that ask for one see it as a variable.

Ours: only the account key may read and write them; the name is that of a variable.
"""

import re
from typing import Any

from emulator.calls import Answer, Call
from emulator.clock import iso
from emulator.errors import bad_request, forbidden, not_found, wrong_state
from emulator.kept import Secret
from emulator.strict import TEXT, check_fields, read_page

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
LONGEST_VALUE = 64 * 1024


def create(call: Call) -> Answer:
    """201; 409 when the name is taken."""
    body, world = call.body, call.world
    check_fields(
        body, where="body", fields={"name": TEXT, "value": TEXT}, required=("name", "value")
    )
    name = body["name"]
    if NAME.fullmatch(name) is None:
        raise bad_request("name must be that of a variable.", field="body.name")
    value = _value(call)
    known = world.secrets.get(name)
    if known is not None and not known.is_deleted:
        raise wrong_state("A secret of this name exists.", current="exists")
    now_ms = world.now_ms()
    secret = Secret(name, value, created_ms=now_ms, updated_ms=now_ms)
    world.secrets[name] = secret
    world.touch(secret)
    return Answer(_row(secret), status=201)


def list_secrets(call: Call) -> Answer:
    """Names and times, never values."""
    _account_only(call)
    limit, offset = read_page(call.query)
    found = [one for one in call.world.secrets.values() if not one.is_deleted]
    return Answer({"secrets": [_row(one) for one in found[offset : offset + limit]]})


def read(call: Call) -> Answer:
    _account_only(call)
    return Answer({"value": find_secret(call).value})


def patch(call: Call) -> Answer:
    """A new value; machines that have the old one keep it."""
    check_fields(call.body, where="body", fields={"value": TEXT}, required=("value",))
    value = _value(call)
    secret = find_secret(call)
    secret.value, secret.updated_ms = value, call.world.now_ms()
    call.world.touch(secret)
    return Answer(_row(secret))


def delete(call: Call) -> Answer:
    check_fields(call.body, where="body", fields={})
    _account_only(call)
    secret = find_secret(call)
    secret.value, secret.is_deleted = "", True
    call.world.touch(secret)
    return Answer({"success": True})


def find_secret(call: Call) -> Secret:
    """The secret of the path, 404 when there is none."""
    name = call.params["secretName"]
    found = call.world.secrets.get(name)
    if found is None or found.is_deleted:
        raise not_found("secret", name)
    return found


def _value(call: Call) -> str:
    _account_only(call)
    value: str = call.body["value"]
    if not 0 < len(value.encode()) <= LONGEST_VALUE:
        raise bad_request("value must have 1 to 65536 bytes.", field="body.value")
    return value


def _row(secret: Secret) -> dict[str, Any]:
    return {
        "name": secret.id,
        "createdAt": iso(secret.created_ms),
        "updatedAt": iso(secret.updated_ms),
    }


def _account_only(call: Call) -> None:
    if not call.is_account:
        raise forbidden("Only the account key reads and writes secrets.")
