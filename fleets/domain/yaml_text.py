"""JSON values written as YAML that people read, and that reads back as exactly the same value."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

# A key longer than this is no key to YAML unless it is marked as one.
_LONGEST_KEY: Final = 1_000
_PLAIN: Final = re.compile(
    r"[A-Za-z_/][A-Za-z0-9_/.@()-]*(?: [A-Za-z0-9_/.@(][A-Za-z0-9_/.@()-]*)*"
)
_RESERVED: Final = re.compile(r"true|false|null|yes|no|on|off|y|n|\.?inf|\.?nan", re.IGNORECASE)
# What YAML cannot hold as it stands, or would fold.
_ODD: Final = "\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
_UNPRINTABLE: Final = re.compile(f"[{_ODD}]")
_NO_BLOCK: Final = re.compile(
    f"[\x00-\x08\x0b-\x1f{_ODD}]|^[ \t]+$|\\A[ \t\n]|\n\n\\Z|^\t", re.MULTILINE
)


def write_yaml(value: Any) -> str:
    """One document, ending in a line feed. Order of keys is kept."""
    return "\n".join(_lines(value, "")) + "\n"


def _lines(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for key, one in value.items():
            written = _text(key)
            if len(written) > _LONGEST_KEY:
                yield f"{indent}? {written}"
                written = ""
            yield from _after(f"{indent}{written}:", one, indent)
    elif isinstance(value, list) and value:
        for one in value:
            yield from _item(one, indent)
    else:
        yield from _after("", value, indent)


def _item(value: Any, indent: str) -> Iterator[str]:
    below = (
        list(_lines(value, f"{indent}  ")) if isinstance(value, Mapping | list) and value else []
    )
    if below:
        yield f"{indent}- {below[0].removeprefix(indent + '  ')}"
        yield from below[1:]
    else:
        yield from _after(f"{indent}-", value, indent)


def _after(start: str, value: Any, indent: str) -> Iterator[str]:
    """A value behind `key:` or `-`, on that line or below it."""
    gap = " " if start else ""
    if isinstance(value, Mapping | list):
        if value:
            yield start
            yield from _lines(value, f"{indent}  ")
        else:
            yield f"{start}{gap}{'{}' if isinstance(value, Mapping) else '[]'}"
    elif isinstance(value, str) and "\n" in value and not _NO_BLOCK.search(value):
        yield f"{start}{gap}|{'' if value.endswith(chr(10)) else '-'}"
        for line in value.removesuffix("\n").split("\n"):
            yield f"{indent}  {line}" if line else ""
    else:
        yield f"{start}{gap}{_text(value) if isinstance(value, str) else json.dumps(value)}"


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and not _RESERVED.fullmatch(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
