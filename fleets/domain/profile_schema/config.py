"""Config values: public ones that hold no secret, and references that only name one."""

from collections.abc import Callable, Mapping
from typing import Any

from fleets.domain.credentials import denotes_credential
from fleets.domain.profile_schema import texts
from fleets.domain.profile_schema.issues import Code, Issue, Path
from fleets.domain.profile_schema.shapes import Note, Rule, Shape, closed, kind_of, one_of, record
from fleets.domain.profile_schema.shapes import text as any_text


def _public_text(value: Any, path: Path, note: Note) -> Any:
    if not isinstance(value, str):
        return any_text(value, path, note)
    if not texts.is_well_formed(value) or texts.has_controls(value):
        note.append(Issue(Code.CUSTOM, path, "has control or broken characters in it"))
    elif texts.is_credential_like(value):
        words = "looks like a credential: name a secret with kind secret-ref instead"
        note.append(Issue(Code.CUSTOM, path, words))
    return value


def _secret_key(value: Any, path: Path, note: Note) -> Any:
    if not isinstance(value, str):
        return any_text(value, path, note)
    if not value:
        note.append(Issue(Code.TOO_SMALL, path, "must name a secret"))
    elif texts.utf16_length(value) > texts.LONGEST_SECRET_KEY:
        words = f"must have at most {texts.LONGEST_SECRET_KEY} characters"
        note.append(Issue(Code.TOO_BIG, path, words))
    elif texts.is_blank(value) or not texts.is_well_formed(value) or texts.has_controls(value):
        note.append(Issue(Code.CUSTOM, path, "is not the name of a secret"))
    elif texts.is_credential_like(value):
        note.append(Issue(Code.CUSTOM, path, "looks like a credential; it must only name one"))
    return value


_BY_KIND: Mapping[str, Shape] = {
    "public": closed({"kind": one_of("public"), "value": _public_text}, required=("value",)),
    "secret-ref": closed(
        {"kind": one_of("secret-ref"), "key": _secret_key, "format": one_of("raw", "bearer")},
        required=("key",),
    ),
}


def config_value(value: Any, path: Path, note: Note) -> Any:
    """`{kind: public, value}` or `{kind: secret-ref, key, format?}`, never a bare text."""
    if not isinstance(value, Mapping):
        words = f"must be an object with kind public or secret-ref, not {kind_of(value)}"
        note.append(Issue(Code.INVALID_TYPE, path, words))
        return value
    kind = value.get("kind")
    shape = _BY_KIND.get(kind) if isinstance(kind, str) else None
    if shape is None:
        words = "must be public or secret-ref"
        note.append(Issue(Code.INVALID_UNION, (*path, "kind"), words))
        return value
    return shape(value, path, note)


def _names(is_legal: Callable[[str], bool], *, what: str) -> Rule:
    def check(value: Any, path: Path, note: Note) -> None:
        for name, one in value.items():
            if not is_legal(name):
                note.append(Issue(Code.CUSTOM, (*path, name), f"is no legal name of {what}"))
            elif denotes_credential(name) and one.get("kind") == "public":
                words = "names a credential: it needs kind secret-ref, not a public value"
                note.append(Issue(Code.CUSTOM, (*path, name), words))

    return check


env = record(config_value, rule=_names(texts.is_env_name, what="a variable"))
headers = record(config_value, rule=_names(texts.is_header_name, what="a header"))
