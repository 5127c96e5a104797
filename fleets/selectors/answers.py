"""What a fleet asks of its answers, and what became of them, in words."""

from fleets.domain.answer_check import words_of
from fleets.domain.answer_document import read_answer_check
from fleets.domain.errors import InvalidInput
from fleets.domain.numbers import show_count
from fleets.models import Fleet


def answer_words(fleet: Fleet) -> str:
    """The check in one line, "" where nothing is asked."""
    if fleet.has_own_checks:
        return "what each agent's task says"
    try:
        return words_of(read_answer_check(fleet.answer_check))
    except InvalidInput:
        return "its check cannot be read"


def verdict_words(fleet: Fleet) -> str:
    """ "9 accepted, 2 refused, 1 to be checked", "" without a check or an answer."""
    if not fleet.checks_answers or not fleet.tasks_completed:
        return ""
    parts = [f"{show_count(fleet.answers_accepted)} accepted"]
    if fleet.answers_refused:
        parts.append(f"{show_count(fleet.answers_refused)} refused")
    if fleet.answers_waiting:
        parts.append(f"{show_count(fleet.answers_waiting)} to be checked")
    judged = fleet.answers_accepted + fleet.answers_refused + fleet.answers_waiting
    if judged < fleet.tasks_completed:
        parts.append(f"{show_count(fleet.tasks_completed - judged)} unchecked")
    return ", ".join(parts)
