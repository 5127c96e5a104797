"""Checks of nested values, put together like the shapes that they describe.

A check takes a value and its place and raises a 400 that names the place.
"""

from collections.abc import Callable, Mapping
from typing import Any

from emulator.errors import ApiError, bad_request
from emulator.strict import ANY, BOOL, INT, NUMBER, OBJECT, TEXT, fits

Check = Callable[[Any, str], None]


def kind(name: str) -> Check:
    """A value of one of the kinds of `emulator.strict`."""

    def check(value: Any, where: str) -> None:
        if not fits(value, kind=name):
            raise bad_request(f"{where} must be a {name}.", field=where)

    return check


text, flag, whole, number, anything, open_object = map(kind, (TEXT, BOOL, INT, NUMBER, ANY, OBJECT))


def closed(fields: Mapping[str, Check], *, required: tuple[str, ...] = ()) -> Check:
    """An object with these fields and no others."""

    def check(value: Any, where: str) -> None:
        open_object(value, where)
        for name, item in value.items():
            place = f"{where}.{name}"
            if name not in fields:
                raise bad_request(f"Unknown field {place}.", field=place)
            fields[name](item, place)
        for name in required:
            if name not in value:
                raise bad_request(f"{where}.{name} is missing.", field=f"{where}.{name}")

    return check


def record(item: Check) -> Check:
    """An object whose names are the author's own."""

    def check(value: Any, where: str) -> None:
        open_object(value, where)
        for name, one in value.items():
            item(one, f"{where}.{name}")

    return check


def listed(item: Check, *, least: int = 0) -> Check:
    """A list of such values, `least` at the least."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, list):
            raise bad_request(f"{where} must be a list.", field=where)
        if len(value) < least:
            raise bad_request(f"{where} needs at least {least}.", field=where)
        for index, one in enumerate(value):
            item(one, f"{where}[{index}]")

    return check


def one_of(*words: str) -> Check:
    """One of these words."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, str) or value not in words:
            raise bad_request(f"{where} must be one of {', '.join(words)}.", field=where)

    return check


def from_up(least: int, *, of: str = INT) -> Check:
    """A number, `least` or above."""

    def check(value: Any, where: str) -> None:
        kind(of)(value, where)
        if value < least:
            raise bad_request(f"{where} must be {least} or above.", field=where)

    return check


def filled(longest: int | None = None) -> Check:
    """A string that is not empty, and not longer than this."""

    def check(value: Any, where: str) -> None:
        text(value, where)
        if not value or (longest is not None and len(value) > longest):
            raise bad_request(f"{where} has a length that is not allowed.", field=where)

    return check


def either(*checks: Check) -> Check:
    """A value that passes one of the checks; the last one says what is wrong."""

    def check(value: Any, where: str) -> None:
        for one in checks[:-1]:
            try:
                one(value, where)
            except ApiError:
                continue
            return
        checks[-1](value, where)

    return check
