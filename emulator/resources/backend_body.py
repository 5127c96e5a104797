"""Reading `backend` (contract 3.2, 6, 8): which harness, which model, which profile."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from emulator.entities import Machine
from emulator.errors import bad_request
from emulator.harnesses import HARNESSES
from emulator.ids import digest
from emulator.money import dumps
from emulator.prices import DEFAULT_MODEL, find_model
from emulator.profile_rules import check_profile
from emulator.strict import ANY, INT, TEXT, check_fields
from emulator.world import World

_BACKEND = {"type": TEXT, "profile": ANY, "model": ANY, "interactions": ANY}
# The old shape (contract 2.2), and where a raw key may stand.
_OLD_BACKEND = {"provider": TEXT, "baseUrl": TEXT, "mode": TEXT, "apiKey": TEXT}
_KEYS = {"apiKey": TEXT, "authFiles": ANY}
_MODEL = {
    "provider": TEXT,
    "model": TEXT,
    "apiKeyEnv": TEXT,
    "baseUrl": TEXT,
    "maxThinkingTokens": INT,
    "mode": TEXT,
    "authMode": TEXT,
}


@dataclass(frozen=True, slots=True)
class Effective:
    """What will really run (contract 10, row 26)."""

    harness: str
    provider: str
    model: str
    asked_model: str
    source: str
    profile: dict[str, Any] | None
    output_limit: int | None


def check_backend(backend: dict[str, Any], *, where: str, may_hold_keys: bool = False) -> None:
    """400 for an unknown harness or any field that the contract does not name."""
    fields = _BACKEND | (_OLD_BACKEND if may_hold_keys else {})
    check_fields(backend, where=where, fields=fields)
    if backend.get("type", "opencode") not in HARNESSES:
        raise bad_request(f"{where}.type is not a harness.", field=f"{where}.type")
    model = backend.get("model")
    if isinstance(model, dict):
        fields = _MODEL | (_KEYS if may_hold_keys else {})
        check_fields(model, where=f"{where}.model", fields=fields)
    elif model is not None and not isinstance(model, str):
        raise bad_request(f"{where}.model must be a string or an object.", field=f"{where}.model")
    profile = backend.get("profile")
    if isinstance(profile, dict):
        check_profile(profile, where=f"{where}.profile")
    elif profile is not None and not isinstance(profile, str):
        raise bad_request(f"{where}.profile must be an object.", field=f"{where}.profile")


def effective_backend(world: World, body: dict[str, Any] | None, machine: Machine) -> Effective:
    """The turn's own backend, then its profile, then the machine's; what the router serves."""
    turn, box = body or {}, machine.backend or {}
    profile = turn.get("profile") or box.get("profile")
    named = profile if isinstance(profile, dict) else {}
    candidates = (
        (_model_id(turn.get("model")), "request"),
        (named.get("model", {}).get("default"), "profile"),
        (_model_id(box.get("model")), "environment"),
        (DEFAULT_MODEL, "environment"),
    )
    asked, source = next((one, source) for one, source in candidates if one)
    model = served_model(world, asked)
    price = find_model(model)
    provider = price.provider if price is not None else model.partition("/")[0]
    return Effective(
        harness=turn.get("type") or named.get("harness") or box.get("type") or "opencode",
        provider=provider,
        model=model,
        asked_model=asked,
        source=source,
        profile=_named(profile),
        output_limit=named.get("model", {}).get("maxTotalOutputTokens"),
    )


def served_model(world: World, asked: str) -> str:
    """What the router serves for it (dial `served_models`)."""
    price = find_model(asked)
    for name, served in world.dials.served_models.items():
        if name == asked or (price is not None and find_model(name) == price):
            return served
    return asked


def _model_id(model: Any) -> str | None:
    if isinstance(model, dict):
        name, provider = model.get("model"), model.get("provider")
        if name is None or provider is None or find_model(name) is not None or "/" in name:
            return name
        return f"{provider}/{name}"
    return model or None


def _named(profile: Any) -> dict[str, Any] | None:
    """The profile as events name it: its name and 16 hex of its digest (row 21)."""
    if not profile:
        return None
    if isinstance(profile, str):
        return {"name": profile, "digest": digest(profile)[:16]}
    return {"name": profile.get("name"), "digest": profile_digest(profile)}


def profile_digest(profile: dict[str, Any]) -> str:
    """16 hex of SHA-256 over canonical JSON (contract 10, row 21)."""
    exact = json.loads(dumps(profile))
    text = json.dumps(exact, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
