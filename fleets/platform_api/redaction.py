"""Removes secrets from anything that is kept for people to read."""

import json
import re
from collections.abc import Mapping
from typing import Any

HIDDEN = "[redacted]"
BODY_LIMIT = 600

_SECRET_FIELDS = frozenset(
    {
        "key", "newkey", "authtoken", "token", "apikey", "secret", "secretaccesskey",
        "accesskeyid", "authorization", "password",
    }
)  # fmt: skip
# Key prefixes of contract 1.1, bearer headers, and anything shaped like a JSON web token.
_SECRET_TEXT = re.compile(
    r"(?:sk-tan-|sk_sandbox_|sk_sb_|orch_prod_|svc_)[\w.\-]+"
    r"|(?<=[Bb]earer )\S+"
    r"|eyJ[\w\-]{8,}\.[\w\-]+\.[\w\-]*"
)
_SECRET_PAIR = re.compile(
    r'("(?:' + "|".join(sorted(_SECRET_FIELDS)) + r')"\s*:\s*)"(?:[^"\\]|\\.)*"?', re.IGNORECASE
)


def redact_text(text: str, /, *, limit: int | None = None) -> str:
    """`text` without keys and tokens, cut to `limit` characters (the cut is shown)."""
    clean = _SECRET_TEXT.sub(HIDDEN, _SECRET_PAIR.sub(rf'\1"{HIDDEN}"', text))
    if limit is not None and len(clean) > limit:
        return clean[:limit] + f"… [{len(clean)} characters]"
    return clean


def redact(value: Any, /) -> Any:
    """A copy of a JSON value in which every secret is replaced; used for what is kept as raw."""
    if isinstance(value, Mapping):
        return {
            str(name): HIDDEN
            if str(name).lower() in _SECRET_FIELDS and isinstance(inner, str)
            else redact(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [redact(inner) for inner in value]
    if isinstance(value, str):
        return redact_text(value)
    return value


def body_excerpt(content: bytes, /) -> str:
    """An answer's body as shown in an error: text, redacted, at most `BODY_LIMIT` characters."""
    text = content[: BODY_LIMIT * 8].decode("utf-8", "replace")
    return redact_text(text, limit=BODY_LIMIT)


def value_excerpt(value: Any, /) -> str:
    """A parsed answer as shown in an error."""
    return redact_text(json.dumps(redact(value), default=str), limit=BODY_LIMIT)
