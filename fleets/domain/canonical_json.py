"""JSON in one canonical form (RFC 8785), and the digests made of it (contract 10, row 21)."""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

DIGEST_CHARS: Final = 16
_HALF: Final = re.compile("[\ud800-\udfff]")
_EXPONENT_FROM: Final = 21
_SMALLEST_PLAIN: Final = -6


def profile_digest(profile: Mapping[str, Any]) -> str:
    """The 16 hex digits by which events and machines name a profile."""
    return hashlib.sha256(canonical(profile).encode()).hexdigest()[:DIGEST_CHARS]


def canonical(value: Any) -> str:
    """The one text of a JSON value. Raises ValueError for what JSON cannot carry."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_text(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(canonical(one) for one in value) + "]"
    raise ValueError(f"{type(value).__name__} is not JSON")


def is_finite(number: float) -> bool:
    """Whether JSON carries it: 1e400 and 400 digits read as numbers, and are none."""
    try:
        return math.isfinite(float(number))
    except OverflowError:
        return False


def _text(text: str) -> str:
    if _HALF.search(text):
        raise ValueError("half a character has no canonical form")
    # DEL is written out by both; everything below a space is escaped alike.
    return json.dumps(text, ensure_ascii=False)


def _number(value: float) -> str:
    """As ECMAScript writes a number: the shortest digits that read back the same."""
    if not is_finite(value):
        raise ValueError("a number that is not finite is not JSON")
    number = float(value)
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = f"{abs(number)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" and not exponent else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0") or "0"
    return sign + _written(digits, point)


def _written(digits: str, point: int) -> str:
    """`digits` with the decimal point after `point` of them."""
    if len(digits) <= point <= _EXPONENT_FROM:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _EXPONENT_FROM:
        return f"{digits[:point]}.{digits[point:]}"
    if _SMALLEST_PLAIN < point <= 0:
        return f"0.{'0' * -point}{digits}"
    power = point - 1
    shown = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{shown}e{'+' if power > 0 else '-'}{abs(power)}"
