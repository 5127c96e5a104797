"""Whether what stands under the name of a secret is the secret itself, or only speaks of one.

Names and values of real files: `accessToken`, `--api-key`, `DB_PASSWORD_FILE`; `${TOKEN}`,
`<your key>`, `GITHUB_TOKEN`, `required`.
"""

import re
from typing import Final

from fleets.domain.credentials import denotes_credential

# Below this a word after "token:" is a word; from here on, with digits in it, it is a key.
SHORTEST_RANDOM: Final = 12
SHORTEST_UNNAMED: Final = 16
_FEWEST_KINDS: Final = 5
_WORDS_OF_PROSE: Final = 5
# No key is longer than a private one; searching further only takes time.
_MOST_LOOKED_AT: Final = 4_000

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SPEAKS_OF: Final = re.compile(
    r"[_-](?:names?|files?|paths?|dir|ur[il]s?|envs?|var|vars|refs?|ids?|types?|kinds?|counts?"
    r"|limits?|max|min|ttl|expir(?:y|es)|age|seconds|length|size|budget|policy|mode|format|prefix"
    r"|header|scheme|store|helper|manager|provider|endpoint|required|enabled)\Z",
    re.IGNORECASE,
)
_STRONG_TOO: Final = re.compile(
    r"(?:\A|[_-])(?:passwd|pwd|passphrase|apitoken|accesstoken|authtoken)(?:\Z|[_-])"
    r"|(?:token|secret|password|apikey)\Z",
    re.IGNORECASE,
)
_WEAK: Final = re.compile(r"(?:\A|[_-])(?:key|auth|sig|signature|sas|bearer)\Z", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(
    r"example|placeholder|your[_\W]|your(?:api)?(?:key|token|secret)|dummy|change[_-]?me|redacted"
    r"|\bfoo\b|sample|insert|replace|fill[_-]?in|x{4}|\*{3}|\.{3}|…|#{3}"
    r"|-here\b|_here\b",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(
    r"\$\{[^}]*\}|\$\(|\$[A-Za-z_]\w*|\{\{.*?\}\}|\{[\w:. -]+\}|%[A-Za-z_]+%|<[^<>]*>"
    r"|\[[^\[\]]*\]|\bprocess\.env\b|\bos\.environ\b|\bgetenv\b|\bsecrets?\.|\benv[.:]"
    r"|\b(?:op|vault|aws-sm|gcp-sm|keychain)://|[A-Za-z_]\(",
)
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_PATH: Final = re.compile(r"(?:~|\.{1,2})?/[\w./-]*")
_ORDINARY: Final = re.compile(
    r"allow|ask|deny|none|null|true|false|yes|no|on|off|required|optional|needed|present|absent"
    r"|default|basic|bearer|digest|oauth2?|oidc|jwt|cookie|header|query|env|auto|manual|public"
    r"|private|string|secret|token|pass(?:word|wd)?|pwd?|api-?key|sha256|unset|any|never|always"
    r"|raw|user|username|test|key",
    re.IGNORECASE,
)
_RANDOM: Final = re.compile(r"[A-Za-z0-9_+/=.~!@%^&*-]+")
_HEX: Final = re.compile(r"[0-9a-fA-F-]+")


def names_secret(name: str) -> bool:
    """Whether a field, variable, header, flag or parameter of that name holds a secret."""
    spelled = _HUMP.sub("_", name.strip().lstrip("-"))
    if _SPEAKS_OF.search(spelled):
        return False
    return denotes_credential(spelled) or bool(_STRONG_TOO.search(spelled))


def may_name_secret(name: str) -> bool:
    """Whether such a name (`key`, `auth`, `sig`) holds a secret when what is there looks random."""
    return bool(_WEAK.search(_HUMP.sub("_", name.strip().lstrip("-"))))


def is_raw(value: str) -> bool:
    """Whether text under the name of a secret is one: no reference, placeholder or prose."""
    text = value.strip()[:_MOST_LOOKED_AT]
    if not text or _ORDINARY.fullmatch(text) or is_placeholder(text):
        return False
    if _VARIABLE.fullmatch(text) or _PATH.fullmatch(text):
        return False
    return len(text.split()) < _WORDS_OF_PROSE


def is_placeholder(text: str) -> bool:
    """Whether it only shows where a secret would stand."""
    if _PLACEHOLDER.search(text) or _REFERENCE.search(text):
        return True
    tail = re.sub(r"\A[A-Za-z]{2,8}[-_]|[\W_]", "", text)
    return len(set(tail.lower())) < _FEWEST_KINDS and len(tail) >= _FEWEST_KINDS


def looks_random(value: str, *, shortest: int = SHORTEST_RANDOM) -> bool:
    """Whether it is one long word of letters and digits, as keys are and words are not."""
    text = value.strip()
    return (
        len(text) >= shortest
        and bool(_RANDOM.fullmatch(text))
        and any(char.isdigit() for char in text)
        and any(char.isalpha() for char in text)
        and is_raw(text)
    )


def is_digest(value: str) -> bool:
    """Whether it may be a hash or a uuid, which are no secrets where no name says so."""
    return bool(_HEX.fullmatch(value.strip()))
