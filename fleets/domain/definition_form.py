"""A definition's document as the fields of a form, and back.

A field changes the document only where its text differs from what the document gives: what the form
does not show, or shows shortened, is never lost.
"""

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, Final

from fleets.domain.definition_fields import (
    FIELDS,
    KINDS,
    PREFIXES,
    field_text,
    field_value,
    place_of,
)

_NUMBERED: Final = re.compile(r"([vf])([0-9]{1,3})_([a-z_A-Z]+)")
INLINE: Final = "(written out)"
_WHICH: Final = re.compile(r"(expect|fixed) *r?([0-9]{1,9})", re.IGNORECASE)


def to_fields(document: Mapping[str, Any]) -> dict[str, str]:
    """All fields with their texts; profiles and files are numbered from 0."""
    found = {name: field_text(_get(document, one.path), one) for name, one in FIELDS.items()}
    found["kind"] = kind_of(document)
    for at, variant in enumerate(variants_of(document)):
        found |= {f"v{at}_{name}": text for name, text in _variant_fields(variant).items()}
    agents = document.get("agents")
    counted = agents.get("profile") if isinstance(agents, Mapping) else None
    found["profile"], found["which"] = _profile_fields(counted)
    for at, one in enumerate(files_of(document)):
        found[f"f{at}_path"] = str(one.get("path", ""))
        found[f"f{at}_content"] = str(one.get("content", ""))
    return found


def from_fields(document: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """The document with every field that was changed; line ends of browsers become line feeds."""
    made: dict[str, Any] = deepcopy(dict(document))
    given = {name: text.replace("\r\n", "\n") for name, text in fields.items()}
    before = to_fields(document)
    if given.get("kind", before["kind"]) != before["kind"] and given["kind"] in KINDS:
        made["agents"] = _new_agents(given["kind"])
    for name, one in FIELDS.items():
        if name in given and given[name].strip() != before[name].strip():
            _set(made, one.path, field_value(given[name], one))
    kind = kind_of(made)
    if kind == "count" and _is_changed(("profile", "which"), given, before):
        value = _profile_of(given, "", _get(document, ("agents", "profile")))
        _set(made, ("agents", "profile"), value)
    if kind == "matrix" and _is_changed(_all("v", given), given, before):
        variants = _variants(document, given, before)
        _set(made, ("agents", "matrix", "profiles"), variants or None)
    if _is_changed(_all("f", given), given, before):
        _set(made, ("machine", "files"), _files(document, given, before) or None)
    return made


def kind_of(document: Mapping[str, Any]) -> str:
    """Which way its agents are said; a document without any counts them."""
    agents = document.get("agents")
    found = [kind for kind in KINDS if isinstance(agents, Mapping) and kind in agents]
    return found[0] if found else "count"


def variants_of(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The profiles of its matrix, as far as they are objects."""
    found = _get(document, ("agents", "matrix", "profiles"))
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def files_of(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The files of its machines, as far as they are objects."""
    found = _get(document, ("machine", "files"))
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def field_at(place: str) -> str:
    """The field that shows a place of the document, "" where none does."""
    by_place = {place_of(one.path): name for name, one in FIELDS.items()}
    while place:
        if place in by_place:
            return by_place[place]
        for pattern, prefix in PREFIXES:
            found = pattern.fullmatch(place)
            if found:
                return prefix.format(*found.groups())
        above = re.sub(r"(\.[^.\[]+|\[[0-9]+\]|^[^.\[]+)$", "", place)
        # A name that somebody wrote, such as "a[b]", is no path: nothing is above it.
        place = above if above != place else ""
    return ""


def _new_agents(kind: str) -> dict[str, Any]:
    if kind == "count":
        return {"count": 10}
    if kind == "machines":
        return {"machines": 2}
    return {"matrix": {"rows": "ask"}} if kind == "matrix" else {"list": []}


def _is_changed(names: Iterable[str], given: Mapping[str, str], before: Mapping[str, str]) -> bool:
    pairs = [(given[name].strip(), before.get(name, "").strip()) for name in names if name in given]
    return any(now != then for now, then in pairs)


def _all(prefix: str, given: Mapping[str, str]) -> list[str]:
    matches = ((name, _NUMBERED.fullmatch(name)) for name in given)
    return [name for name, one in matches if one and one[1] == prefix]


def _variant_fields(variant: Mapping[str, Any]) -> dict[str, str]:
    profile, which = _profile_fields(variant.get("profile"))
    model = variant.get("model", "")
    return {
        "name": str(variant.get("name", "")),
        "profile": profile,
        "which": which,
        "harness": str(variant.get("harness", "")),
        "model": model if isinstance(model, str) else INLINE,
    }


def _profile_fields(value: Any) -> tuple[str, str]:
    """The id and which revision: "head", "expect r12", "fixed r12" or the name of a label."""
    if not isinstance(value, Mapping):
        return ("", "") if value is None else (INLINE, "")
    if "profileId" not in value:
        return INLINE, ""
    slug = str(value["profileId"])
    if "revision" in value:
        return slug, f"expect r{value['revision']}"
    if "fixed" in value:
        return slug, f"fixed r{value['fixed']}"
    return slug, str(value.get("label", "head"))


def _profile_of(given: Mapping[str, str], prefix: str, was: Any) -> Any:
    """The reference that two fields say; None for no profile."""
    slug, which = given.get(f"{prefix}profile", "").strip(), given.get(f"{prefix}which", "").strip()
    if not slug:
        return None
    if slug == INLINE:
        return was
    found = _WHICH.fullmatch(which)
    if found:
        key = "revision" if found[1].lower() == "expect" else "fixed"
        return {"profileId": slug, key: int(found[2])}
    if which.lower() in ("", "head"):
        return {"profileId": slug}
    return {"profileId": slug, "label": which.removeprefix("label ").strip()}


def _numbered(prefix: str, given: Mapping[str, str]) -> list[int]:
    matches = (_NUMBERED.fullmatch(name) for name in given)
    return sorted({int(one[2]) for one in matches if one and one[1] == prefix})


def _variants(
    document: Mapping[str, Any], given: Mapping[str, str], before: Mapping[str, str]
) -> list[Any]:
    """The profiles: changed ones changed, emptied ones gone, filled ones new."""
    old = variants_of(document)
    made: list[Any] = []
    for at in _numbered("v", given):
        was = dict(old[at]) if at < len(old) else {}
        prefix = f"v{at}_"
        names = ("name", "profile", "which", "harness", "model")
        if not any(given.get(prefix + name, "").strip() for name in names):
            continue
        for name in ("name", "harness", "model"):
            text = given.get(prefix + name, "").strip()
            if text != before.get(prefix + name, "") and text != INLINE:
                was = {**was, name: text} if text else _without(was, name)
        if _is_changed((f"{prefix}profile", f"{prefix}which"), given, before):
            profile = _profile_of(given, prefix, was.get("profile"))
            was = _without(was, "profile") if profile is None else {**was, "profile": profile}
        made.append(was)
    return made


def _files(
    document: Mapping[str, Any], given: Mapping[str, str], before: Mapping[str, str]
) -> list[Any]:
    old = files_of(document)
    made: list[Any] = []
    for at in _numbered("f", given):
        was = dict(old[at]) if at < len(old) else {}
        path = given.get(f"f{at}_path", "").strip()
        content = given.get(f"f{at}_content", "")
        if not path and not content:
            continue
        if path != before.get(f"f{at}_path", ""):
            was = {**was, "path": path}
        if content != before.get(f"f{at}_content", "") or "content" not in was:
            was = {**was, "content": content}
        made.append(was)
    return made


def _without(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: one for key, one in value.items() if key != name}


def _get(document: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        if not isinstance(document, Mapping) or step not in document:
            return None
        document = document[step]
    return document


def _set(document: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    """Put a value at a place, None to take it away; objects that are empty then go with it."""
    *above, last = path
    within: dict[str, Any] = document
    passed: list[tuple[dict[str, Any], str]] = []
    for step in above:
        below = within.get(step)
        if not isinstance(below, dict):
            if value is None:
                return
            below = within[step] = {}
        passed.append((within, step))
        within = below
    if value is None:
        within.pop(last, None)
        for holder, step in reversed(passed):
            if holder[step] == {} and step != "agents":
                del holder[step]
    else:
        within[last] = value
