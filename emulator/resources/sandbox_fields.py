"""The fields of a sandbox create, each strictly checked (contract 2.2)."""

from typing import Any

from emulator.errors import ApiError, bad_request, not_supported, over_quota
from emulator.money import dumps
from emulator.offers import CEILING, DRIVERS, TEMPLATES
from emulator.shapes import (
    anything,
    closed,
    either,
    filled,
    flag,
    from_up,
    listed,
    one_of,
    open_object,
    record,
    text,
)
from emulator.strict import NUMBER
from emulator.world import World

LONGEST_BODY = 240_000
LONGEST_METADATA = 64 * 1024
LONGEST_ENV = 200_000
LONGEST_ENV_VALUE = 120_000
_LEFT_OUT = ("fromSnapshot", "fromSandboxId", "storage", "confidential")

_ACCELERATOR = closed({"kind": text, "count": from_up(1), "memoryMB": from_up(1)})
_RESOURCES = closed(
    {
        "cpuCores": from_up(0, of=NUMBER),
        "memoryMB": from_up(1),
        "diskGB": from_up(1),
        "accelerator": _ACCELERATOR,
    },
    required=("cpuCores", "memoryMB"),
)
_OLD_RESOURCES = closed(
    {"cpu": from_up(0, of=NUMBER), "memoryMb": from_up(1), "storageMb": from_up(1)},
    required=("cpu", "memoryMb"),
)
_GIT = closed(
    {
        "url": filled(2_000),
        "ref": text,
        "depth": from_up(0),
        "sparse": listed(text),
        "auth": closed({"token": text}),
    },
    required=("url",),
)
_EGRESS = closed(
    {
        "mode": one_of("strict"),
        "allowDomains": listed(filled(253)),
        "includeImplicitDomains": flag,
    },
    required=("mode",),
)
# Names are the contract's; of what it names without a shape, anything is let through.
CHECKS = {
    "name": text,
    "environment": text,
    "image": text,
    "resources": either(_OLD_RESOURCES, _RESOURCES),
    "env": record(text),
    "git": _GIT,
    "backend": open_object,
    "maxLifetimeSeconds": from_up(1),
    "idleTimeoutSeconds": from_up(1),
    "deleteAfterStoppedSeconds": from_up(1),
    "metadata": open_object,
    "secrets": either(listed(filled(128)), one_of("all")),
    "egressPolicy": _EGRESS,
    "ownerContext": text,
    "capabilities": listed(text),
    "fromSnapshot": text,
    "fromSandboxId": text,
    "storage": open_object,
    "driver": closed({"type": one_of(*DRIVERS)}, required=("type",)),
    "publicTemplateId": text,
    "sshEnabled": flag,
    "sshPublicKey": text,
    "sshPublicKeys": listed(text),
    "webTerminalEnabled": flag,
    "bare": flag,
    "teamId": text,
    "billingOwnerId": text,
    "permissions": closed({"initialUsers": listed(anything)}),
    "tools": anything,
    "agent": flag,
    "confidential": open_object,
}


def check_sandbox(world: World, wanted: dict[str, Any], *, where: str) -> None:
    """400 names what is wrong, 403 what is above a ceiling, 501 what is left out."""
    for name, value in wanted.items():
        if name in CHECKS:
            CHECKS[name](value, f"{where}.{name}")
    for name in _LEFT_OUT:
        if name in wanted:
            raise not_supported(f"{where}.{name} is left out of the emulator.")
    if "image" in wanted and "environment" in wanted:
        raise bad_request("image is the old name of environment.", field=f"{where}.image")
    _check_sizes(wanted, where=where)
    _check_references(world, wanted, where=where)


def check_length(body: dict[str, Any]) -> None:
    """413 above the body's cap (contract 1.3)."""
    if len(dumps(body).encode()) > LONGEST_BODY:
        message = f"The body is longer than {LONGEST_BODY} bytes."
        raise ApiError(413, {"error": message, "code": "PAYLOAD_TOO_LARGE", "limit": LONGEST_BODY})


def _check_sizes(wanted: dict[str, Any], *, where: str) -> None:
    if len(dumps(wanted.get("metadata", {})).encode()) > LONGEST_METADATA:
        raise bad_request(f"{where}.metadata is above 64 KiB.", field=f"{where}.metadata")
    env = wanted.get("env", {})
    if any(len(value.encode()) > LONGEST_ENV_VALUE for value in env.values()):
        raise bad_request(f"A value of {where}.env is above 120 KB.", field=f"{where}.env")
    if sum(len(name.encode()) + len(value.encode()) for name, value in env.items()) > LONGEST_ENV:
        raise bad_request(f"{where}.env is above 200 KB in all.", field=f"{where}.env")


def _check_references(world: World, wanted: dict[str, Any], *, where: str) -> None:
    names = wanted.get("secrets", [])
    for name in names if isinstance(names, list) else ():
        if name not in world.secrets or world.secrets[name].is_deleted:
            place = f"{where}.secrets"
            raise bad_request(f"There is no secret {name}.", field=place)
    template = wanted.get("publicTemplateId")
    if template is not None and template not in TEMPLATES:
        place = f"{where}.publicTemplateId"
        raise bad_request(f"There is no public template {template}.", field=place)


def read_resources(wanted: dict[str, Any], *, default: dict[str, Any]) -> dict[str, Any]:
    """The machine's size in today's names; 403 above the account's ceiling (contract 9)."""
    found = wanted.get("resources")
    if found is None:
        template = TEMPLATES.get(wanted.get("publicTemplateId", ""))
        return dict(default if template is None else template.resources)
    if "cpu" in found:
        found = {
            "cpuCores": found["cpu"],
            "memoryMB": found["memoryMb"],
            "diskGB": -(-found.get("storageMb", 20_480) // 1024),
        }
    for name, limit in CEILING.items():
        if found.get(name, 0) > limit:
            raise over_quota(f"sandbox.{name}", current=found[name], limit=limit, status=403)
    return dict(found)
