"""Reads the change that somebody typed, and refuses what can be in no profile at all.

Field names begin with the kind: `model_old`, `model_new`, `field_path`.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from fleets.domain.errors import InvalidInput
from fleets.domain.harnesses import HARNESSES
from fleets.domain.json_lines import Path, read_json
from fleets.domain.profile_change import ChangeKind, ProfileChange
from fleets.domain.profile_form import put
from fleets.domain.profile_paths import holds_text, read_path
from fleets.domain.profile_problems import check_body

_HOST: Final = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")
_LONGEST_TAG: Final = 60
_LONGEST_MODEL: Final = 200
# Below these a field alone is no whole: it is judged with the profile it gets into.
_PARTS: Final = frozenset({"mcp", "hooks", "connections", "resources", "extensions"})


def read_change(typed: Mapping[str, str]) -> ProfileChange:
    """The change as it was typed. Raises InvalidInput with the field of the form."""
    try:
        kind = ChangeKind(typed.get("kind", ""))
    except ValueError:
        raise InvalidInput.at("kind", "Choose what is changed.") from None
    return _READ[kind](kind, lambda name: _plain(typed.get(f"{kind.value}_{name}", "")))


Given = Callable[[str], str]


def _model(kind: ChangeKind, given: Given) -> ProfileChange:
    new = _word(kind, given, what="the model that takes its place")
    if len(new) > _LONGEST_MODEL:
        raise InvalidInput.at("model_new", f"A model has at most {_LONGEST_MODEL} characters.")
    return _differing(ProfileChange(kind, given("old").strip(), new))


def _harness(kind: ChangeKind, given: Given) -> ProfileChange:
    new = given("new").strip()
    if new not in HARNESSES:
        near = difflib.get_close_matches(new.lower()[:40], HARNESSES, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise InvalidInput.at("harness_new", f"Choose a harness.{hint}")
    return _differing(ProfileChange(kind, given("old").strip(), new))


def _field(kind: ChangeKind, given: Given) -> ProfileChange:
    path = read_path(given("path"), place="field_path")
    value = _value(path, given("new"))
    if path[0] not in _PARTS:
        problems = check_body(put({}, path, value)).problems
        if problems:
            raise InvalidInput.at("field_new", f"{problems[0].shown_path} {problems[0].words}")
    return ProfileChange(kind, new=value, path=path)


def _unset(kind: ChangeKind, given: Given) -> ProfileChange:
    return ProfileChange(kind, path=read_path(given("path"), place="unset_path"))


def _text(kind: ChangeKind, given: Given) -> ProfileChange:
    if not given("old"):
        raise InvalidInput.at("text_old", "Say the text that is looked for, exactly as it stands.")
    return _differing(ProfileChange(kind, given("old"), given("new")))


def _add_tag(kind: ChangeKind, given: Given) -> ProfileChange:
    new = _word(kind, given, what="the tag")
    if len(new) > _LONGEST_TAG:
        raise InvalidInput.at("add_tag_new", f"A tag has at most {_LONGEST_TAG} characters.")
    return ProfileChange(kind, new=new)


def _remove_tag(kind: ChangeKind, given: Given) -> ProfileChange:
    old = given("old").strip()
    if not old:
        raise InvalidInput.at("remove_tag_old", "Choose the tag that goes.")
    return ProfileChange(kind, old=old)


def _host(kind: ChangeKind, given: Given) -> ProfileChange:
    old, new = given("old").strip().lower(), given("new").strip().lower()
    if not old:
        raise InvalidInput.at("host_old", "Choose the host that is replaced.")
    if not _HOST.fullmatch(new) or int(new.partition(":")[2] or 0) > 65_535:
        words = "A host is named like mcp.example.org or mcp.example.org:8443, without https://."
        raise InvalidInput.at("host_new", words)
    return _differing(ProfileChange(kind, old, new))


def _skill(kind: ChangeKind, given: Given) -> ProfileChange:
    if not re.fullmatch("[0-9a-f]{32}", given("old")):
        raise InvalidInput.at("skill_old", "Choose the text that is replaced.")
    if not given("new").strip():
        raise InvalidInput.at("skill_new", "Give the new text: an empty one helps nobody.")
    return ProfileChange(kind, given("old"), given("new"))


_READ: Final[Mapping[ChangeKind, Callable[[ChangeKind, Given], ProfileChange]]] = {
    ChangeKind.MODEL: _model,
    ChangeKind.HARNESS: _harness,
    ChangeKind.FIELD: _field,
    ChangeKind.UNSET: _unset,
    ChangeKind.TEXT: _text,
    ChangeKind.ADD_TAG: _add_tag,
    ChangeKind.REMOVE_TAG: _remove_tag,
    ChangeKind.HOST: _host,
    ChangeKind.SKILL: _skill,
}


def _word(kind: ChangeKind, given: Given, *, what: str) -> str:
    word = given("new").strip()
    if not word:
        raise InvalidInput.at(f"{kind.value}_new", f"Say {what}.")
    return word


def _differing(change: ProfileChange) -> ProfileChange:
    if change.old == change.new:
        words = "This is what stands there already: say another one."
        raise InvalidInput.at(f"{change.kind.value}_new", words)
    return change


def _value(path: Path, text: str) -> Any:
    """Text as it stands where the field holds text, else JSON; open values take either."""
    if not text.strip():
        words = "Give the value, or choose to take the field away."
        raise InvalidInput.at("field_new", words)
    if holds_text(path):
        return text
    try:
        return read_json(text, place="field_new").value
    except InvalidInput as error:
        if "metadata" in path and not text.lstrip().startswith(("{", "[", '"')):
            return text
        said = error.problems[0].message
        words = f'This field takes JSON, such as true, 8192 or ["a", "b"]. {said}'
        raise InvalidInput.at("field_new", words) from None


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
