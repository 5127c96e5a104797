"""What we send: JSON with exact amounts, prompts as Base64 of UTF-8."""

import base64
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def encode(body: Mapping[str, Any], /) -> bytes:
    """JSON as UTF-8; a Decimal becomes a JSON number of exactly that value.

    Raises ValueError for an amount that no JSON number here can carry (beyond 15 digits).
    """
    return json.dumps(
        body, default=_number, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    ).encode("utf-8", "replace")


def _number(value: Any) -> int | float:
    if not isinstance(value, Decimal):
        raise TypeError(f"{type(value).__name__} does not travel")
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    if Decimal(repr(number)) != value:
        raise ValueError(f"{value} cannot travel exactly")
    return number


def text_part(text: str, /) -> dict[str, str]:
    """A prompt's part; over HTTP its text is the Base64 of the UTF-8 (contract 3.2)."""
    return {
        "type": "text",
        "text": base64.b64encode(text.encode("utf-8", "replace")).decode("ascii"),
    }


def given(**fields: Any) -> dict[str, Any]:
    """Only the fields that hold something: the platform is never sent an empty one."""
    return {name: value for name, value in fields.items() if value is not None}
