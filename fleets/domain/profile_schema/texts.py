"""Rules over single texts: half characters, control characters, credentials, config names."""

import re
from typing import Final

from fleets.domain.credentials import denotes_credential
from fleets.domain.profile_schema.urls import parse_url

LONGEST_SECRET_KEY: Final = 500
# White space as browsers' languages have it: the byte-order mark counts, U+001C to U+001F do not.
SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_CREDENTIALS: Final = re.compile(
    r"\bsk[-_][A-Za-z0-9_-]{10,}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{12,}\b"
    r"|\bgithub_pat_[A-Za-z0-9_]{12,}\b"
    r"|\bAKIA[A-Z0-9]{12,}\b"
    r"|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"
    rf"|\bBearer[{SPACE}]+[^{SPACE}]",
    re.ASCII,
)
_ENV_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def is_well_formed(text: str) -> bool:
    """Whether there is no half of a character (lone surrogate) in it."""
    return not _SURROGATE.search(text)


def has_controls(text: str) -> bool:
    """Whether it has a control character, tab and line end included."""
    return bool(_CONTROL.search(text))


def is_blank(text: str) -> bool:
    """Whether there is nothing in it but white space."""
    return not text.strip(SPACE)


def is_credential_like(text: str) -> bool:
    """Whether a credential stands in it, or the whole is an address that carries one."""
    if _CREDENTIALS.search(text):
        return True
    url = parse_url(text)
    return url is not None and (
        url.has_user or any(denotes_credential(name) for name in url.query_names)
    )


def is_env_name(name: str) -> bool:
    """Whether a variable may be called so."""
    return bool(_ENV_NAME.fullmatch(name))


def is_header_name(name: str) -> bool:
    """Whether a header may be called so: an HTTP token."""
    return bool(_HEADER_NAME.fullmatch(name))


def utf16_length(text: str) -> int:
    """Length as the platform counts it, in UTF-16 units."""
    return len(text) + sum(char > "\uffff" for char in text)
