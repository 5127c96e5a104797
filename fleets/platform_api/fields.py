"""Tolerant reading of JSON answers: names the bad field, ignores what it does not know."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeVar

from fleets.platform_api.redaction import redact

T = TypeVar("T")

# Larger sums are a mistake in the answer, and an exponent of a million would cost us a minute.
LARGEST_USD = Decimal(10) ** 12


class FieldError(ValueError):
    """A field that is missing or of another type than agreed."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path


class Fields:
    """One JSON object, read by name. Every reader takes alternative names, first present wins."""

    __slots__ = ("_path", "body")

    def __init__(self, body: Any, /, *, path: str = "answer") -> None:
        if not isinstance(body, Mapping):
            raise FieldError(path, f"expected an object, got {_kind(body)}")
        self.body: Mapping[str, Any] = body
        self._path = path

    @property
    def raw(self) -> Mapping[str, Any]:
        """The whole object without secrets, for the operator to see."""
        clean = redact(self.body)
        assert isinstance(clean, dict)
        return clean

    def _find(self, names: Sequence[str]) -> tuple[str, Any]:
        for name in names:
            if self.body.get(name) is not None:
                return f"{self._path}.{name}", self.body[name]
        return f"{self._path}.{names[0]}", None

    def text(self, *names: str) -> str:
        path, value = self._find(names)
        if value is None:
            raise FieldError(path, "missing")
        if not isinstance(value, str):
            raise FieldError(path, f"expected text, got {_kind(value)}")
        return value

    def maybe_text(self, *names: str) -> str | None:
        path, value = self._find(names)
        if value is None:
            return None
        if isinstance(value, bool | Mapping | list):
            raise FieldError(path, f"expected text, got {_kind(value)}")
        return str(value)

    def maybe_reason(self, *names: str) -> tuple[str | None, str | None]:
        """A failure as (message, code): text, or an object with them under any known name."""
        path, value = self._find(names)
        if value is None or isinstance(value, str):
            return (value or None), None
        inner = Fields(value, path=path)
        said = inner.maybe_text("message", "reason", "error", "detail")
        code = inner.maybe_text("errorCode", "code", "type")
        return said or code or str(inner.raw), code

    def flag(self, name: str, *, default: bool) -> bool:
        path, value = self._find([name])
        if value is None:
            return default
        if not isinstance(value, bool):
            raise FieldError(path, f"expected true or false, got {_kind(value)}")
        return value

    def maybe_int(self, *names: str) -> int | None:
        path, value = self._find(names)
        if value is None:
            return None
        if isinstance(value, Decimal) and _is_whole(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise FieldError(path, f"expected a whole number, got {_kind(value)}")
        return value

    def maybe_usd(self, *names: str) -> Decimal | None:
        """USD as Decimal; contract 10 row 23. A number in quotes is accepted too."""
        return self.maybe_number(*names)

    def maybe_number(self, *names: str) -> Decimal | None:
        """A possible amount, exact; also of something else than money."""
        path, value = self._find(names)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
            raise FieldError(path, f"expected an amount, got {_kind(value)}")
        try:
            amount = Decimal(value)
        except ArithmeticError:
            raise FieldError(path, "expected an amount, got text") from None
        if not amount.is_finite() or abs(amount) > LARGEST_USD:
            raise FieldError(path, "is not a possible amount")
        return amount

    def maybe_time(self, *names: str) -> datetime | None:
        """ISO 8601 text, or seconds or milliseconds since 1970, as an aware UTC datetime."""
        path, value = self._find(names)
        if value is None:
            return None
        moment = _moment(value)
        if moment is None:
            raise FieldError(path, "expected a time")
        return moment

    def child(self, *names: str) -> "Fields | None":
        path, value = self._find(names)
        return None if value is None else Fields(value, path=path)

    def maybe_mapping(self, *names: str) -> Mapping[str, Any]:
        path, value = self._find(names)
        return {} if value is None else Fields(value, path=path).raw

    def rows(self, *names: str) -> list["Fields"]:
        """A list of objects; missing means none."""
        path, value = self._find(names)
        if value is None:
            return []
        return list_of(value, path=path)


def list_of(value: Any, /, *, path: str = "answer") -> list[Fields]:
    """The rows of a list. Raises FieldError that names the place."""
    if not isinstance(value, list):
        raise FieldError(path, f"expected a list, got {_kind(value)}")
    return [Fields(row, path=f"{path}[{index}]") for index, row in enumerate(value)]


def unwrap(body: Any, /, *names: str, path: str = "answer") -> Fields:
    """The object under the first of `names` that holds one, else the body itself.

    The platform answers the same thing with and without an envelope (contract head, rule 1).
    """
    outer = Fields(body, path=path)
    _refuse_failure(outer, path)
    for name in names:
        if isinstance(outer.body.get(name), Mapping):
            return Fields(outer.body[name], path=f"{path}.{name}")
    return outer


def unwrap_rows(body: Any, /, *names: str) -> tuple[list[Fields], int | None]:
    """The list under the first of `names`, in any known envelope or bare, and its total."""
    if isinstance(body, list):
        return list_of(body), None
    outer = Fields(body)
    _refuse_failure(outer, "answer")
    data = outer.body.get("data")
    if isinstance(data, list):
        return list_of(data, path="answer.data"), outer.maybe_int("total")
    inner = Fields(data, path="answer.data") if isinstance(data, Mapping) else outer
    for name in names:
        if inner.body.get(name) is not None:
            return inner.rows(name), inner.maybe_int("total")
    raise FieldError(f"answer.{names[0]}", "missing")


def _refuse_failure(outer: Fields, path: str) -> None:
    # The key API's envelope (contract 5): a 200 that says false is no success.
    if outer.body.get("success") is False and "data" in outer.body:
        raise FieldError(f"{path}.success", "false in a 2xx answer")


def each(rows: Sequence[Fields], parse: Callable[[Fields], T], /) -> tuple[T, ...]:
    """Every row through one parser."""
    return tuple(parse(row) for row in rows)


def _is_whole(value: Decimal) -> bool:
    # An exponent of a million would make a number that takes a minute to write down.
    return value.is_finite() and value.adjusted() < 18 and value == value.to_integral_value()


def _kind(value: Any) -> str:
    return {"dict": "an object", "list": "a list", "str": "text", "NoneType": "nothing"}.get(
        type(value).__name__, f"a {type(value).__name__.lower()}"
    )


def _moment(value: Any) -> datetime | None:
    try:
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value)
            return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            # Epoch figures come in seconds and in milliseconds; 10^11 s is the year 5138.
            seconds = float(value) / (1000 if value > 10**11 else 1)
            return datetime.fromtimestamp(seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
