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
# Form, the marks of which one stands in whatever has it, and the form itself. Looking for the marks
# first is what makes a long text quick.
_FORMS: Final = (
    ("a platform or OpenAI style key (sk-…)", ("sk-", "sk_"), r"\bsk[-_][A-Za-z0-9_-]{10,}\b"),
    ("a platform service token (svc_…)", ("svc_",), r"\bsvc_[A-Za-z0-9_-]{16,}\b"),
    (
        "a GitHub token (ghp_… and the like)",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        r"\bgh[pousr]_[A-Za-z0-9]{12,}\b",
    ),
    ("a GitHub token (github_pat_…)", ("github_pat_",), r"\bgithub_pat_[A-Za-z0-9_]{12,}\b"),
    ("an AWS access key (AKIA…)", ("AKIA",), r"\bAKIA[A-Z0-9]{12,}\b"),
    ("a private key (PEM)", ("-----BEGIN ",), r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
    ("a private key (age)", ("AGE-SECRET-KEY-1",), r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,}\b"),
    ("a Slack token (xox…)", ("xox", "xapp-"), r"\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}\b"),
    (
        "a Slack webhook",
        ("hooks.slack.com/services/",),
        r"\bhooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{16,}",
    ),
    ("a Google key (AIza…)", ("AIza",), r"\bAIza[A-Za-z0-9_-]{30,}"),
    ("a Google token (ya29.…)", ("ya29.",), r"\bya29\.[A-Za-z0-9_-]{20,}"),
    (
        "a GitLab token (glpat-…)",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-"),
        r"\bgl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_-]{16,}",
    ),
    ("a Hugging Face token (hf_…)", ("hf_",), r"\bhf_[A-Za-z0-9]{20,}\b"),
    ("an npm token (npm_…)", ("npm_",), r"\bnpm_[A-Za-z0-9]{30,}\b"),
    ("a PyPI token (pypi-…)", ("pypi-AgE",), r"\bpypi-AgE[A-Za-z0-9_-]{20,}"),
    (
        "a Stripe key (rk_…)",
        ("rk_live_", "rk_test_", "whsec_"),
        r"\b(?:rk_(?:live|test)|whsec)_[A-Za-z0-9]{10,}\b",
    ),
    ("a SendGrid key (SG.…)", ("SG.",), r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    (
        "a JSON web token (eyJ…)",
        ("eyJ",),
        r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    ),
    ("a bearer token", ("Bearer",), r"\bBearer\s+(?=[^\s]*[0-9])[A-Za-z0-9._~+/=-]{16,}"),
)
_PATTERNS: Final = tuple(
    (form, marks, re.compile(pattern, re.ASCII)) for form, marks, pattern in _FORMS
)
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
    for form, marks, pattern in _PATTERNS:
        if any(mark in text for mark in marks):
            for match in pattern.finditer(text):
                yield CredentialSpan(form, *match.span())
    for match in _URL.finditer(text) if "://" in text else ():
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
