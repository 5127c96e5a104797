"""What others do on the account: scripts with its key, agents that spawn; and reading it here."""

import base64
from collections.abc import Callable
from typing import Any

import httpx

from emulator.server import EmulatorThread
from fleets.models import Connection, Fleet
from fleets.services.account import read_account
from fleets.services.actor import Actor
from tests.integration.driving.launching import CENT_NUSD, launch
from tests.support.driver import control, drive_until


def at_platform(emulator: EmulatorThread, method: str, path: str, body: Any = None) -> Any:
    """One request with the account's key, past everything of ours."""
    headers = {"Authorization": f"Bearer {emulator.config.account_key}"}
    base = emulator.id_url if path.startswith("/v1/keys") else emulator.sandbox_url
    response = httpx.request(method, f"{base}{path}", json=body, headers=headers, verify=False)
    response.raise_for_status()
    return response.json()


def script_fleet(
    emulator: EmulatorThread, fleet_id: str, *, parent: str = "", **machine: Any
) -> str:
    """A fleet of one machine, made by a script; the sandbox it got."""
    body: dict[str, Any] = {"fleetId": fleet_id, "machines": [{"machineId": "w-1", **machine}]}
    if parent:
        body["parent"] = {"fleetId": parent}
    told = at_platform(emulator, "POST", "/v1/fleets", body)
    return str(told["fleet"]["machines"][0]["sandboxId"])


def script_turn(emulator: EmulatorThread, sandbox_id: str, session_id: str, prompt: str) -> None:
    """A detached turn, sent by a script."""
    text = base64.b64encode(prompt.encode()).decode()
    body = {
        "id": "default",
        "sessionId": session_id,
        "turnId": "turn-1",
        "parts": [{"type": "text", "text": text}],
        "backend": {"type": "opencode", "model": {"model": "gpt-4.1-mini"}},
        "detach": True,
    }
    at_platform(emulator, "POST", f"/v1/sandboxes/{sandbox_id}/runtime/agents/run/stream", body)


def spawning(actor: Actor, children: int, **changes: object) -> Fleet:
    """A fleet of two; agent-2 leaves a process behind that makes child fleets of $0.12."""
    asked: dict[str, object] = {
        "name": "research",
        "count": 2,
        "budget_nusd": 60 * CENT_NUSD,
        "prompt": f"[[ok]] [[spawn {children} if agent-2]] Part {{index}} as {{agent_id}}.",
    }
    return launch(actor, **{**asked, **changes})  # type: ignore[arg-type]


def read_until(done: Callable[[], bool]) -> None:
    """Drive what is ours and read the account, until `done`."""
    connection = Connection.objects.get()

    def read() -> bool:
        read_account(connection)
        return done()

    drive_until(read)


def now(fleet: Fleet) -> Fleet:
    """The fleet's row as it stands."""
    fleet.refresh_from_db()
    return fleet


def stop_the_clock(emulator: EmulatorThread) -> None:
    """From here on no second passes at the platform, so that no machine costs anything."""
    control(emulator, "POST", "clock", {"speed": 0.000_001})


def ledger(emulator: EmulatorThread) -> dict[str, dict[str, Any]]:
    """Every key at the platform by its id, money in nanodollars."""
    return {key["keyId"]: key for key in control(emulator, "GET", "state")["keys"]}
