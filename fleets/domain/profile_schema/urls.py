"""Addresses as browsers read them (the WHATWG rules), as far as the profile schema asks.

Asked are: does it parse as an absolute address, with which scheme, is there a user or a password in
it, and which names has its query. Non-ASCII hosts are checked for forbidden characters only.
"""

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address
from typing import Final
from urllib.parse import parse_qsl, unquote

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SPECIAL: Final = frozenset({"http", "https", "ws", "wss", "ftp"})
_EDGES: Final = "".join(map(chr, range(0x21)))
_FORBIDDEN: Final = re.compile(r"[\x00\t\n\r #/:<>?@\[\\\]^|]")
_FORBIDDEN_DOMAIN: Final = re.compile(r"[\x00-\x20\x7f%#/:<>?@\[\\\]^|\ufffd]")
_NUMBER: Final = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_IGNORED: Final = re.compile(r"[\u00ad\u200b\u2060\ufeff]")
_MOST_PORT: Final = 65_535
_MOST_PARTS: Final = 4
_MOST_PARAMETERS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Url:
    """An address that parses. Names of the query are decoded."""

    scheme: str
    has_user: bool
    query_names: tuple[str, ...]


def parse_url(text: str) -> Url | None:
    """The address, None when it is none."""
    cleaned = re.sub(r"[\t\n\r]", "", text.strip(_EDGES))
    cleaned = re.sub(r"[\ud800-\udfff]", "\ufffd", cleaned)
    found = _SCHEME.match(cleaned)
    if found is None:
        return None
    scheme = found[1].lower()
    rest = cleaned[found.end() :].partition("#")[0]
    rest, _, query = rest.partition("?")
    if scheme == "file":
        return Url(scheme, has_user=False, query_names=_names(query)) if _file(rest) else None
    is_special = scheme in _SPECIAL
    authority = _authority(rest, is_special=is_special)
    if authority is None:
        return Url(scheme, has_user=False, query_names=_names(query))
    user, at, place = authority.rpartition("@")
    if not _place_is_right(place, is_special=is_special, has_at=bool(at)):
        return None
    return Url(scheme, has_user=user not in ("", ":"), query_names=_names(query))


def _authority(rest: str, *, is_special: bool) -> str | None:
    """User, host and port; None where the scheme has none."""
    if is_special:
        return re.split(r"[/\\]", rest.lstrip("/\\"), maxsplit=1)[0]
    if not rest.startswith("//"):
        return None
    return rest[2:].partition("/")[0]


def _place_is_right(place: str, *, is_special: bool, has_at: bool) -> bool:
    found = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?", place)
    if found is None:
        return False
    host, port = found[1], found[2]
    if not host and (is_special or has_at or port is not None):
        return False
    if port and int(port[-6:] if port.strip("0") == "" else port[:20]) > _MOST_PORT:
        return False
    return _host_is_right(host, is_special=is_special)


def _host_is_right(host: str, *, is_special: bool) -> bool:
    if host.startswith("["):
        return host.endswith("]") and _is_ipv6(host[1:-1])
    if not is_special:
        return not _FORBIDDEN.search(host)
    decoded = _IGNORED.sub("", unquote(host, errors="replace"))
    domain = re.sub("[\u3002\uff0e\uff61]", ".", unicodedata.normalize("NFKC", decoded)).lower()
    if not domain or _FORBIDDEN_DOMAIN.search(domain) or not _labels_are_right(domain):
        return False
    return _is_no_number(domain) or _is_ipv4(domain)


def _labels_are_right(domain: str) -> bool:
    for label in domain.split("."):
        if label.startswith("xn--"):
            try:
                if not label[4:].encode("ascii").decode("punycode"):
                    return False
            except UnicodeError:
                return False
    return True


def _last_label(domain: str) -> list[str]:
    parts = domain.split(".")
    return parts[:-1] if len(parts) > 1 and not parts[-1] else parts


def _is_no_number(domain: str) -> bool:
    return not _NUMBER.fullmatch(_last_label(domain)[-1])


def _is_ipv4(domain: str) -> bool:
    parts = _last_label(domain)
    if len(parts) > _MOST_PARTS or not all(_NUMBER.fullmatch(part) for part in parts):
        return False
    try:
        numbers = [_ipv4_number(part) for part in parts]
    except ValueError:
        return False
    return max(numbers[:-1], default=0) <= 255 and numbers[-1] < 256 ** (5 - len(numbers))


def _ipv4_number(part: str) -> int:
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    digits = part.lstrip("0")[:20] or "0"
    return int(digits, 8) if part.startswith("0") and len(part) > 1 else int(digits)


def _is_ipv6(host: str) -> bool:
    try:
        return IPv6Address(host).scope_id is None
    except AddressValueError:
        return False


def _file(rest: str) -> bool:
    """Whether a `file:` address parses; only its host can be wrong."""
    path = rest.replace("\\", "/")
    if not path.startswith("//"):
        return True
    host = path[2:].partition("/")[0]
    return (
        not host
        or bool(re.fullmatch(r"[A-Za-z][:|]", host))
        or _host_is_right(host, is_special=True)
    )


def _names(query: str) -> tuple[str, ...]:
    pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    return tuple(name for name, _ in pairs)
