"""Ids and random numbers that depend on what they are for, never on order or time."""

import hashlib
import random


def digest(*parts: object) -> str:
    """64 hex characters that name exactly these parts."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()


def rng_for(*parts: object) -> random.Random:
    """A generator of its own for (seed, session, turn) and the like."""
    return random.Random(int(digest(*parts)[:16], 16))


def sandbox_id(seed: int, fleet_id: str, machine_id: str) -> str:
    """`sandbox-` + 12 hex (contract 1.4)."""
    return "sandbox-" + digest(seed, "sandbox", fleet_id, machine_id)[:12]


def execution_id(sandbox: str, session: str, turn: str) -> str:
    return "exec-" + digest("execution", sandbox, session, turn)[:32]


def trace_id(seed: int, sandbox: str, session: str, turn: str) -> str:
    """32 lowercase hex (contract 10, row 15)."""
    return digest(seed, "trace", sandbox, session, turn)[:32]
