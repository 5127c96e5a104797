"""Amounts of money as people type them, and what to say when they cannot be read."""

import re
from decimal import Decimal
from typing import Final

from fleets.domain.errors import InvalidInput, Problem, Repair
from fleets.domain.money import NUSD_PER_USD, show_limit, usd_to_nusd

MAX_INPUT_NUSD: Final = 1_000_000 * NUSD_PER_USD

_PLAIN: Final = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")
_GROUPED: Final = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?")
_COMMA_DECIMAL: Final = re.compile(r"([0-9]{1,3}(\.[0-9]{3})+|[0-9]+),[0-9]*")
_WRAPPING: Final = re.compile(r"^(us)?\$|\$$|\s*usd$", re.IGNORECASE)
_MAX_CHARS: Final = 40


def parse_usd(text: str, *, place: str) -> int:
    """Nanodollars of an amount typed by a person: "3", "$3.00", "0.25", "1,000", "3 USD".

    Raises InvalidInput with a message that says what is wrong and what would be right, and a repair
    where the meaning is plain.
    """
    number = text.strip()
    if not number:
        raise InvalidInput.at(place, "An amount is missing. Write dollars, such as 3.00.")
    if len(number) > _MAX_CHARS:
        raise InvalidInput.at(place, "That is too long for an amount. Write dollars, such as 3.00.")
    number = _WRAPPING.sub("", _WRAPPING.sub("", number)).strip()
    if problem := _problem(number, place=place):
        raise InvalidInput((problem,))
    usd = Decimal(number.replace(",", ""))
    if usd * NUSD_PER_USD > MAX_INPUT_NUSD:
        raise InvalidInput.at(place, f"At most {show_limit(MAX_INPUT_NUSD)} can be entered here.")
    return _to_nusd(usd, place=place)


def _to_nusd(usd: Decimal, *, place: str) -> int:
    try:
        return usd_to_nusd(usd)
    except ValueError:
        shorter = f"{round(usd, 9):f}".rstrip("0").rstrip(".")
        if not Decimal(shorter):
            raise InvalidInput.at(
                place, "That is less than a billionth of a dollar. Write dollars, such as 3.00."
            ) from None
        raise InvalidInput.at(
            place,
            f"At most nine decimals of a dollar can be kept. {shorter} would be right.",
            repair=Repair(f"Use {shorter}", place, shorter),
        ) from None


def _problem(number: str, *, place: str) -> Problem | None:
    if number.isascii() and (_PLAIN.fullmatch(number) or _GROUPED.fullmatch(number)):
        return None
    if number.startswith(("-", "−")):
        return Problem(place, "An amount cannot be negative. Write dollars, such as 3.00.")
    if number.isascii() and _COMMA_DECIMAL.fullmatch(number):
        meant = number.replace(".", "").replace(",", ".").rstrip(".")
        return Problem(
            place,
            f"The comma in {number} is not where thousands are. With a point it is {meant}.",
            Repair(f"Use {meant}", place, meant),
        )
    if re.search(r"[€£¥₿]|\b(eur|gbp|jpy|chf)\b", number, re.IGNORECASE):
        return Problem(place, "Amounts are in US dollars here. Write the dollars, such as 3.00.")
    return Problem(place, f"“{number}” is not an amount. Write dollars as digits, such as 3.00.")
