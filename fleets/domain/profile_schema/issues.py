"""What is wrong with a profile: a code of the public validator, a path, words for people."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

Path = tuple[str | int, ...]


class Code(StrEnum):
    """The validator's own codes."""

    INVALID_TYPE = "invalid_type"
    UNRECOGNIZED_KEYS = "unrecognized_keys"
    INVALID_VALUE = "invalid_value"
    TOO_SMALL = "too_small"
    TOO_BIG = "too_big"
    INVALID_UNION = "invalid_union"
    INVALID_KEY = "invalid_key"
    CUSTOM = "custom"


# A value with one of these has not even the right shape: rules across its fields are not asked.
SHAPE_CODES: Final = frozenset(
    {
        Code.INVALID_TYPE,
        Code.UNRECOGNIZED_KEYS,
        Code.INVALID_VALUE,
        Code.INVALID_UNION,
        Code.INVALID_KEY,
    }
)


@dataclass(frozen=True, slots=True)
class Issue:
    """One refusal. `keys` holds the unknown names of an `unrecognized_keys`, else nothing.

    Messages name places and rules, never a value: a value may be a secret.
    """

    code: Code
    path: Path
    message: str
    keys: tuple[str, ...] = ()

    @property
    def breaks_shape(self) -> bool:
        """Whether rules across fields of the enclosing object are left out because of it."""
        return self.code in SHAPE_CODES
