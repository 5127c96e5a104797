"""Strict reading of requests: an unknown field or a wrong type is a 400, never a guess."""

import base64
import binascii
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from emulator.errors import bad_request
from emulator.money import dumps, loads, to_nusd

JsonObject = dict[str, Any]

TEXT, BOOL, INT, NUMBER, OBJECT, LIST, TEXTS, ANY = (
    "string",
    "boolean",
    "integer",
    "number",
    "object",
    "list",
    "list of strings",
    "anything",
)
LONGEST_CURSOR = 15


def parse_object(raw: bytes) -> JsonObject:
    """The body as an object; nothing at all counts as `{}`."""
    if not raw:
        return {}
    try:
        value = loads(raw)
    except ValueError as error:
        raise bad_request(f"The body is not JSON: {error}") from error
    except RecursionError:
        raise bad_request("The body is nested too deep.") from None
    if not isinstance(value, dict):
        raise bad_request("The body must be a JSON object.")
    if b"\\u" in raw and _has_half_character(value):
        raise bad_request("The body holds half a character (a lone surrogate such as \\ud800).")
    return value


def _has_half_character(value: Any) -> bool:
    """JSON may name half of a pair (`\\ud800`), which no UTF-8 answer and no file can hold."""
    try:
        dumps(value).encode()
    except UnicodeEncodeError:
        return True
    return False


def check_fields(
    value: Mapping[str, Any],
    *,
    where: str,
    fields: Mapping[str, str],
    required: tuple[str, ...] = (),
) -> None:
    """Raise a 400 that names the first field that is unknown, missing or of a wrong type."""
    for name, item in value.items():
        place = f"{where}.{name}"
        if name not in fields:
            raise bad_request(f"Unknown field {place}.", field=place)
        if not fits(item, kind=fields[name]):
            raise bad_request(f"{place} must be a {fields[name]}.", field=place)
    for name in required:
        if name not in value:
            raise bad_request(f"{where}.{name} is missing.", field=f"{where}.{name}")


def fits(item: object, *, kind: str) -> bool:
    """True when the value is of that kind of JSON value."""
    if kind == ANY:
        return True
    if kind == TEXTS:
        return isinstance(item, list) and all(isinstance(one, str) for one in item)
    if kind in (INT, NUMBER):
        wanted: tuple[type, ...] = (int,) if kind == INT else (int, Decimal)
        return isinstance(item, wanted) and not isinstance(item, bool)
    types: dict[str, type] = {TEXT: str, BOOL: bool, OBJECT: dict, LIST: list}
    return isinstance(item, types[kind])


def positive(value: Mapping[str, Any], *, where: str, names: tuple[str, ...]) -> None:
    """Raise a 400 when one of these numbers is present and not above zero."""
    for name in names:
        if name in value and value[name] <= 0:
            place = f"{where}.{name}"
            raise bad_request(f"{place} must be above zero.", field=place)


def read_budget(value: int | Decimal, *, where: str) -> int:
    """Nanodollars of an amount in USD."""
    nusd = to_nusd(value)
    if nusd is None or nusd < 0:
        raise bad_request(f"{where} must be an amount of whole nanodollars, not negative.")
    return nusd


def read_cursor(text: str, *, name: str) -> int:
    """The last event that the caller has."""
    if not text.isdecimal() or len(text) > LONGEST_CURSOR:
        raise bad_request(f"{name} must be an event id.", field=name)
    return int(text)


def read_page(query: Mapping[str, str], *, largest: int = 1000) -> tuple[int, int]:
    """(limit, offset) of a list request."""
    return _count(query, "limit", default=100, largest=largest), _count(query, "offset", default=0)


def _count(query: Mapping[str, str], name: str, *, default: int, largest: int = 10**9) -> int:
    text = query.get(name)
    if text is None:
        return default
    if not text.isdecimal() or int(text) > largest:
        raise bad_request(f"{name} must be a number up to {largest}.", field=name)
    return int(text)


def read_prompt(parts: list[Any]) -> str:
    """The prompt of `parts`: each text is Base64 of UTF-8 (contract 3.2)."""
    texts = []
    for index, part in enumerate(parts):
        where = f"parts[{index}]"
        if not isinstance(part, dict):
            raise bad_request(f"{where} must be an object.", field=where)
        check_fields(
            part, where=where, fields={"type": TEXT, "text": TEXT}, required=("type", "text")
        )
        if part["type"] != "text":
            raise bad_request(f"{where}.type must be text.", field=f"{where}.type")
        try:
            texts.append(base64.b64decode(part["text"], validate=True).decode())
        except (binascii.Error, UnicodeDecodeError) as error:
            raise bad_request(
                f"{where}.text is not Base64 of UTF-8.", field=f"{where}.text"
            ) from error
    if not texts:
        raise bad_request("parts must hold at least one text.", field="parts")
    return "\n".join(texts)
