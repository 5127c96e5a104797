"""A key's value that cannot be printed by accident."""

from typing import final


@final
class Secret:
    """Holds a secret string; `repr`, `str`, formatting and pickling never show it.

    Read it with `reveal()`, at the one place that needs it (the Authorization header, the
    encrypted column).
    """

    __slots__ = ("_value",)

    def __init__(self, value: str, /) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(•••)"

    __str__ = __repr__

    def __format__(self, spec: str, /) -> str:
        return repr(self)

    def __reduce__(self) -> tuple[type["Secret"], tuple[str]]:
        raise TypeError("a Secret does not travel: encrypt what it reveals instead")

    def __copy__(self) -> "Secret":
        return self

    def __deepcopy__(self, memo: object, /) -> "Secret":
        return self  # so that dataclasses.asdict and replace work on what holds one

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)
