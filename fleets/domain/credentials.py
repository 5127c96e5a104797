"""Text that looks like a credential: found by form, named by form, never repeated.

The forms are those the profile schema refuses in public values, and those of vendors it does not
know. In running text one is narrower, as prose may say "Bearer tokens": there the word after Bearer
must look like a token.
"""

import re
from collections.abc import Iterator
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
    ("a private key (age)", r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,}\b"),
    ("a Slack token (xox…)", r"\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}\b"),
    ("a Slack webhook", r"\bhooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{16,}"),
    ("a Google key (AIza…)", r"\bAIza[A-Za-z0-9_-]{30,}"),
    ("a Google token (ya29.…)", r"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("a GitLab token (glpat-…)", r"\bgl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_-]{16,}"),
    ("a Hugging Face token (hf_…)", r"\bhf_[A-Za-z0-9]{20,}\b"),
    ("an npm token (npm_…)", r"\bnpm_[A-Za-z0-9]{30,}\b"),
    ("a PyPI token (pypi-…)", r"\bpypi-AgE[A-Za-z0-9_-]{20,}"),
    ("a Stripe key (rk_…)", r"\b(?:rk_(?:live|test)|whsec)_[A-Za-z0-9]{10,}\b"),
    ("a SendGrid key (SG.…)", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("a JSON web token (eyJ…)", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("a bearer token", r"\bBearer\s+(?=[^\s]*[0-9])[A-Za-z0-9._~+/=-]{16,}"),
)
_PATTERNS: Final = tuple((form, re.compile(pattern, re.ASCII)) for form, pattern in _FORMS)
_URL: Final = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s<>\"'`]+")


@dataclass(frozen=True, slots=True)
class CredentialSpan:
    """A piece of a text, by offsets, that has the form of a credential."""

    form: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CredentialFind:
    """Where credential-like text begins (line and column from 1) and which form it has."""

    form: str
    line: int
    column: int


def find_credentials(text: str) -> tuple[CredentialFind, ...]:
    """Everything in a text that looks like a credential, in reading order."""
    found = sorted((span.start, span.form) for span in credential_spans(text))
    return tuple(_at(text, offset, form=form) for offset, form in found)


def credential_spans(text: str) -> Iterator[CredentialSpan]:
    """The same by offsets, form by form; addresses that carry a password or key come last."""
    for form, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield CredentialSpan(form, *match.span())
    for match in _URL.finditer(text):
        if _has_secret(match.group()):
            yield CredentialSpan("an address with a password or key in it", *match.span())


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
