"""One module per noun; `HANDLERS` joins them to the contract's operations."""

from emulator.calls import Handler
from emulator.resources import billing, dispatch, events, fleets, keys, sandboxes, sessions

HANDLERS: dict[str, Handler] = {
    "keys.mint": keys.mint,
    "keys.list": keys.list_keys,
    "keys.read": keys.read,
    "keys.patch": keys.patch,
    "keys.revoke": keys.revoke,
    "billing.balance": billing.balance,
    "billing.transactions": billing.transactions,
    "fleets.create": fleets.create,
    "fleets.list": fleets.list_fleets,
    "fleets.get": fleets.get,
    "fleets.delete": fleets.delete,
    "sandboxes.list": sandboxes.list_sandboxes,
    "sandboxes.get": sandboxes.get,
    "sandboxes.delete": sandboxes.delete,
    "sandboxes.stop": sandboxes.stop,
    "sandboxes.resume": sandboxes.resume,
    "sessions.dispatch": dispatch.dispatch,
    "sessions.list": sessions.list_sessions,
    "sessions.state": sessions.state,
    "sessions.events": events.stream,
    "sessions.result": sessions.result,
    "sessions.abort": sessions.abort_session,
    "sessions.turn": sessions.turn,
    "sessions.executions": sessions.executions,
}
