"""Token counts in the grouping of `result` (contract 3.5)."""

from collections.abc import Iterable, Mapping
from typing import Any

from fleets.platform_api.fields import Fields
from fleets.platform_api.types import TokenUsage


def parse_usage(row: Fields | None, /) -> TokenUsage | None:
    """`tokenUsage` or `usage`; None where the platform gave none."""
    if row is None:
        return None
    usage = TokenUsage(
        input_tokens=row.maybe_int("inputTokens"),
        output_tokens=row.maybe_int("outputTokens"),
        total_tokens=row.maybe_int("totalTokens"),
        reasoning_tokens=row.maybe_int("reasoningTokens"),
        cache_read_tokens=row.maybe_int("cacheReadInputTokens"),
        cache_write_tokens=row.maybe_int("cacheCreationInputTokens"),
    )
    return None if usage == TokenUsage() else usage


def sum_of_steps(steps: Iterable[Mapping[str, Any]], /) -> TokenUsage | None:
    """The harness's own `step_finish` tokens, regrouped as the result groups them.

    A step counts fresh input, cache and reasoning apart; the result counts cache reads into the
    input and reasoning into the output. Steps without readable numbers are left out.
    """
    rows = [_step(tokens) for tokens in steps]
    if not rows:
        return None
    fresh, output, reasoning, read, write = (sum(column) for column in zip(*rows, strict=True))
    return TokenUsage(
        input_tokens=fresh + read + write,
        output_tokens=output + reasoning,
        total_tokens=fresh + read + write + output + reasoning,
        reasoning_tokens=reasoning,
        cache_read_tokens=read,
        cache_write_tokens=write,
    )


def _step(tokens: Mapping[str, Any]) -> tuple[int, int, int, int, int]:
    cache = tokens.get("cache")
    inner = cache if isinstance(cache, Mapping) else {}
    return (
        _count(tokens.get("input")),
        _count(tokens.get("output")),
        _count(tokens.get("reasoning")),
        _count(inner.get("read")),
        _count(inner.get("write")),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
