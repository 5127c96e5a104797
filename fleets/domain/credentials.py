"""Text that looks like a credential: found by form, named by form, never repeated.

The forms are those the profile schema refuses in public values. In running text two are narrower,
as prose may say "Bearer tokens": there the word after Bearer must look like a token.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

_NAME_WORDS: Final = (
    r"api[_-]?key|access[_-]?key|private[_-]?key|database[_-]?url|token|secret|password"
    r"|credentials?|authorization|cookie|dsn|pat"
)
_CREDENTIAL_NAME: Final = re.compile(
    rf"(?:^|[_-])(?:{_NAME_WORDS})(?:\Z|[_-])", re.IGNORECASE | re.ASCII
)
_FORMS: Final = (
    ("a platform or OpenAI style key (sk-…)", r"\bsk[-_][A-Za-z0-9_-]{10,}\b"),
    ("a platform service token (svc_…)", r"\bsvc_[A-Za-z0-9_-]{16,}\b"),
    ("a GitHub token (ghp_… and the like)", r"\bgh[pousr]_[A-Za-z0-9]{12,}\b"),
    ("a GitHub token (github_pat_…)", r"\bgithub_pat_[A-Za-z0-9_]{12,}\b"),
    ("an AWS access key (AKIA…)", r"\bAKIA[A-Z0-9]{12,}\b"),
    ("a private key (PEM)", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
    ("a bearer token", r"\bBearer\s+(?=[^\s]*[0-9])[A-Za-z0-9._~+/=-]{16,}"),
)
_PATTERNS: Final = tuple((form, re.compile(pattern, re.ASCII)) for form, pattern in _FORMS)
_URL: Final = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s<>\"'`]+")


@dataclass(frozen=True, slots=True)
class CredentialFind:
    """Where credential-like text begins (line and column from 1) and which form it has."""

    form: str
    line: int
    column: int


def find_credentials(text: str) -> tuple[CredentialFind, ...]:
    """Everything in a text that looks like a credential, in reading order."""
    found = [(match.start(), form) for form, p in _PATTERNS for match in p.finditer(text)]
    found += [
        (match.start(), "an address with a password or key in it")
        for match in _URL.finditer(text)
        if _has_secret(match.group())
    ]
    return tuple(_at(text, offset, form=form) for offset, form in sorted(found))


def denotes_credential(name: str) -> bool:
    """Whether a variable, header or parameter of that name holds a secret."""
    return bool(_CREDENTIAL_NAME.search(name))


def _has_secret(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_user = bool(parts.username or parts.password)
    except ValueError:
        return False
    names = (name for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    return has_user or any(denotes_credential(name) for name in names)


def _at(text: str, offset: int, *, form: str) -> CredentialFind:
    before = text[:offset]
    return CredentialFind(form, before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)
