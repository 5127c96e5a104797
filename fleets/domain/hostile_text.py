"""What agents write is hostile: characters that hide or turn text, and any length. Pure."""

import re
import unicodedata
from typing import Final

MESSAGE_BYTES: Final = 64 * 1024
OUTPUT_BYTES: Final = 256 * 1024

# Direction marks can make a text read otherwise than it is; they are shown as what they are.
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ufff9-\ufffb]")
_ESCAPE = "\x1b"


def visible(text: str, *, keep_escapes: bool = False) -> str:
    """`text` with line ends made plain and every hiding or turning character made visible.

    With `keep_escapes` the sign that begins a terminal's colours stays, for who reads those.
    """
    # A bare return lets a terminal write over what stood there: here it begins a line.
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = _TURNING.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", plain)
    return _CONTROL.sub(
        lambda found: found[0] if keep_escapes and found[0] == _ESCAPE else "\ufffd", plain
    )


def one_line(text: str, *, limit: int = 160) -> str:
    """The start of `text` as one line, for a summary."""
    start = visible(text[: limit * 4])
    line = " ".join(
        "".join(sign if unicodedata.category(sign)[0] != "C" else " " for sign in start).split()
    )
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def bounded(text: str, *, limit_bytes: int) -> tuple[str, int]:
    """The start of `text` within so many bytes of UTF-8, and how many bytes are left out."""
    if len(text) * 4 <= limit_bytes:
        return text, 0
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit_bytes:
        return text, 0
    return encoded[:limit_bytes].decode("utf-8", "ignore"), len(encoded) - limit_bytes
