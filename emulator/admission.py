"""A turn as it is admitted: its session, and everything that is fixed at that moment."""

import secrets
from typing import Any

from emulator.entities import Execution, Machine, Session
from emulator.ids import digest, execution_id, trace_id
from emulator.money import dumps
from emulator.recall import known_codewords
from emulator.resources.backend_body import effective_backend
from emulator.world import World


def session_of(world: World, machine: Machine, session_id: str) -> Session:
    """The session, made when it is new; the world knows it once a turn of it is admitted."""
    session_key = f"{machine.id}/{session_id}"
    return world.sessions.get(session_key) or Session(
        id=session_key,
        session_id=session_id,
        sandbox_id=machine.id,
        native_id="ses_" + digest(world.config.seed, "native", session_key)[:26],
        created_ms=world.now_ms(),
    )


def new_execution(
    world: World,
    body: dict[str, Any],
    *,
    key_id: str,
    machine: Machine,
    session: Session,
    prompt: str,
    turn_id: str,
) -> Execution:
    """The turn that `body` asks for: its `backend` and `timeoutMs`."""
    if session.id not in world.sessions:
        world.sessions[session.id] = session
        world.sessions_by_machine.setdefault(machine.id, []).append(session.id)
    backend = effective_backend(world, body.get("backend"), machine)
    now_ms = world.now_ms()
    limit_ms = body.get("timeoutMs")
    return Execution(
        id=execution_id(machine.id, session.session_id, turn_id),
        session_key=session.id,
        session_id=session.session_id,
        sandbox_id=machine.id,
        turn_id=turn_id,
        key_id=key_id,
        trace_id=trace_id(world.config.seed, machine.id, session.session_id, turn_id),
        prompt=prompt,
        harness=backend.harness,
        model=backend.model,
        asked_model=backend.asked_model,
        provider=backend.provider,
        source=backend.source,
        profile=backend.profile,
        output_limit=backend.output_limit,
        timeout_ms=limit_ms,
        deadline_ms=None if limit_ms is None else now_ms + limit_ms,
        request_id=secrets.token_hex(16),
        request_digest="sha256:" + digest(dumps(body)),
        time_factor=world.dials.turn_time_factor,
        failure_share=world.dials.failure_share,
        context_tokens=session.context_tokens,
        started_ms=now_ms,
        knows=_knows(world, session, body, machine=machine, prompt=prompt),
    )


def _knows(
    world: World, session: Session, body: dict[str, Any], *, machine: Machine, prompt: str
) -> list[str]:
    profile = (body.get("backend") or {}).get("profile") or (machine.backend or {}).get("profile")
    first = session.execution_ids[0] if session.execution_ids else None
    return known_codewords(profile, world.executions[first].prompt if first else prompt)
