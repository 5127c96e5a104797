"""From what was read to how a turn ended: outcome, words, tokens, money."""

from dataclasses import dataclass
from typing import Final

from fleets.domain.money import usd_to_nusd
from fleets.domain.status import TurnOutcome
from fleets.platform_api.reading import BUDGET_CODES
from fleets.platform_api.types import TokenUsage
from fleets.services.driving.round_reading import TurnNews

_WAITING: Final = {
    "blocked_on_approval": TurnOutcome.WAITING_APPROVAL,
    "awaiting_question": TurnOutcome.WAITING_QUESTION,
    "awaiting_plan_decision": TurnOutcome.WAITING_PLAN,
}
_COMPLETED: Final = frozenset({"completed", "success"})
_CANCELLED: Final = frozenset({"cancelled", "aborted", "interrupted"})
_TIMED_OUT: Final = frozenset({"timed_out", "timeout", "TIMEOUT", "expired"})


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How a turn ended. Money and tokens are None where the platform did not say."""

    outcome: TurnOutcome
    response: str
    error: str
    error_code: str
    usage: TokenUsage | None
    cost_nusd: int | None


def turn_end(news: TurnNews) -> TurnEnd:
    """Read the end of a turn out of its frames, its result object, and its session's row."""
    word = _word(news)
    error, code = _error(news)
    reading, result = news.reading, news.result
    response = (reading and (reading.final_text or "")) or (result and result.response) or ""
    usage = (reading and reading.usage) or (result and result.usage) or None
    cost = reading.cost_usd if reading else None
    if cost is None and result is not None:
        cost = result.cost_usd
    if cost is None and news.cost_from_list is not None:
        cost = news.cost_from_list.cost_usd
    return TurnEnd(
        outcome=_outcome(word, code, session_status=news.status),
        response=response or (reading.text if reading and word in _COMPLETED else ""),
        error=error,
        error_code=code,
        usage=usage,
        cost_nusd=None if cost is None else usd_to_nusd(cost),
    )


def _word(news: TurnNews) -> str:
    if news.reading and news.reading.ended and news.reading.outcome_type:
        return news.reading.outcome_type
    if news.result:
        return news.result.status
    return news.status


def _error(news: TurnNews) -> tuple[str, str]:
    reading, result = news.reading, news.result
    error = (reading and reading.error) or (result and result.error) or ""
    code = (reading and reading.error_code) or (result and result.error_code) or ""
    if not error and news.cost_from_list and news.status == "failed":
        error = news.cost_from_list.failure_reason or ""
    return error[:500], code[:80]


def _outcome(word: str, code: str, *, session_status: str) -> TurnOutcome:
    if code in BUDGET_CODES:
        return TurnOutcome.BUDGET_EXHAUSTED
    if word in _COMPLETED:
        return TurnOutcome.COMPLETED
    # A cancelled turn's result may say failed, with the reason as its code (contract 3.4).
    if {word, code.lower(), session_status} & _CANCELLED:
        return TurnOutcome.CANCELLED
    if word in _TIMED_OUT or code in _TIMED_OUT:
        return TurnOutcome.TIMED_OUT
    if word in _WAITING:
        return _WAITING[word]
    if word in {"failed", "error"}:
        return TurnOutcome.FAILED
    return TurnOutcome.UNKNOWN
