"""Every field has its type and no other; names of fields, records and lists are what they are."""

from collections.abc import Iterator
from typing import Any

import pytest

from fleets.domain.profile_schema.profile import check_profile
from fleets.domain.profile_schema.shapes import show_path
from tests.unit.domain.profile_schema.test_fields import WHOLE
from tests.unit.domain.profile_schema.verdicts import local, passes, public, ref, remote, said

Path = tuple[str | int, ...]
# In records of these the author chooses the keys, or anything may stand.
OPEN = {"metadata", "extensions"}
ALTERNATIVES = ("permissions", "resources", "mcp", "modes")
# An empty record of decisions is a permission, too.
FITS_AS_WELL: list[tuple[Path, Any]] = [
    (("permissions", "edit"), {}),
    (("modes", "plan", "permissions", "edit"), {}),
]


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every single value of the sound profile with its place."""
    if path and path[-1] in OPEN:
        return
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, (*path, key))
    elif isinstance(value, list):
        for at, below in enumerate(value):
            yield from leaves(below, (*path, at))
    else:
        yield path, value


def put(value: Any, path: Path, new: Any) -> Any:
    """The same with one value changed."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        return [put(one, rest, new) if at == step else one for at, one in enumerate(value)]
    return {**value, step: put(value[step], rest, new)}


def others(value: Any) -> list[Any]:
    """Values of every type but this one."""
    kinds: list[Any] = [None, "text", True, 5, [], {}]
    same = (int, float) if type(value) in (int, float) else (type(value),)
    return [one for one in kinds if type(one) not in same]


@pytest.mark.parametrize("path", [path for path, _ in leaves(WHOLE)], ids=show_path)
def test_a_value_of_any_other_type_is_refused_at_its_place(path: Path) -> None:
    (value,) = [one for place, one in leaves(WHOLE) if place == path]
    for other in others(value):
        if (path, other) in FITS_AS_WELL:
            continue
        issues = check_profile(put(WHOLE, path, other)).issues
        assert len(issues) == 1, other
        place = issues[0].path
        # Where alternatives stand, the report names the place of all of them.
        assert place == path or (place == path[: len(place)] and place[0] in ALTERNATIVES), other


@pytest.mark.parametrize(
    "path",
    [
        *(("tools",), ("permissions",), ("mcp",), ("subagents",), ("hooks",), ("modes",)),
        *(("metadata",), ("extensions",), ("model", "metadata"), ("prompt",), ("model",)),
        *(("resources",), ("confidential",), ("subagents", "helper"), ("modes", "plan")),
    ],
    ids=show_path,
)
def test_an_object_is_no_list_and_no_text(path: Path) -> None:
    values: tuple[Any, ...] = ([], "x", 1, None)
    for value in values:
        assert said(put(WHOLE, path, value)) == [("invalid_type", show_path(path))]


@pytest.mark.parametrize(
    "path",
    [
        *(("tags",), ("connections",), ("prompt", "instructions"), ("hooks", "any event")),
        *(("resources", "files"), ("resources", "tools"), ("resources", "commands")),
        ("connections", 0, "capabilities"),
    ],
    ids=show_path,
)
def test_a_list_is_no_object_and_no_text(path: Path) -> None:
    values: tuple[Any, ...] = ({}, "x", None)
    for value in values:
        assert said(put(WHOLE, path, value)) == [("invalid_type", show_path(path))]


@pytest.mark.parametrize("effort", ["High", "max", "", "none "])
def test_any_other_effort_is_refused(effort: str) -> None:
    bad = {"model": {"reasoningEffort": effort}}
    assert said(bad) == [("invalid_value", "model.reasoningEffort")]


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_number_is_finite(value: float) -> None:
    assert said({"subagents": {"a": {"maxSteps": value}}}) == [
        ("invalid_type", "subagents.a.maxSteps")
    ]
    hook = {"command": "c", "timeoutMs": value}
    assert said({"hooks": {"e": [hook]}}) == [("invalid_type", "hooks.e[0].timeoutMs")]


@pytest.mark.parametrize("steps", [0, -3, 0.25, 1e300])
def test_any_finite_number_of_steps_passes(steps: float) -> None:
    assert passes({"subagents": {"a": {"maxSteps": steps}}})


def test_ids_and_aliases_may_repeat_and_be_blank() -> None:
    one = {"connectionId": " ", "capabilities": ["x", "x"], "alias": " "}
    assert passes({"connections": [one, one]})
    assert passes({"tags": [], "resources": {"files": []}, "hooks": {"e": []}})


@pytest.mark.parametrize(
    ("more", "said_"),
    [
        ({"kind": "secret-ref", "key": "K", "format": "basic"}, ("invalid_value", ".format")),
        ({"kind": "secret-ref", "key": "K", "value": "v"}, ("unrecognized_keys", "")),
        ({"kind": "public", "value": "v", "key": "K"}, ("unrecognized_keys", "")),
        ({"kind": "public"}, ("invalid_type", ".value")),
        ({"kind": "secret-ref"}, ("invalid_type", ".key")),
        ({"value": "v"}, ("invalid_union", ".kind")),
    ],
)
def test_a_config_value_is_one_of_two_closed_objects(more: Any, said_: tuple[str, str]) -> None:
    code, below = said_
    hook = {"command": "c", "env": {"A": more}}
    assert said({"hooks": {"e": [hook]}}) == [(code, f"hooks.e[0].env.A{below}")]


@pytest.mark.parametrize(
    "bad",
    [{"path": "p", "resource": {"kind": "inline", "name": "n"}}, {"path": "p", "resource": "x"}],
)
def test_a_file_brings_a_sound_resource(bad: Any) -> None:
    assert said({"resources": {"files": [bad]}}) == [
        ("invalid_union", "resources.files[0].resource")
    ]
    assert passes({"resources": {"files": [{"path": "", "resource": ref()}]}})


@pytest.mark.parametrize(
    "text",
    [
        *("bearer x", "BEARER x", "SK-abcdefghij", "GHP_abcdefghijkl", "AKIAabcdefghijkl"),
        *("begin private key", "https://example.org/?q=token", "1:/x", "sk-abcdefghi"),
    ],
)
def test_what_only_resembles_a_credential_passes(text: str) -> None:
    assert passes(public(text))


@pytest.mark.parametrize(
    "text",
    [
        *("gho_abcdefghijkl", "ghu_abcdefghijkl", "ghr_abcdefghijkl"),
        *("-----BEGIN OPENSSH PRIVATE KEY-----", "https://example.org/?X%2DAPI%2DKEY=1"),
    ],
)
def test_every_form_of_a_credential_is_refused_in_a_value_and_in_an_address(text: str) -> None:
    assert said(public(text)) == [("custom", "mcp.s.args[0].value")]
    address = text if text.startswith("https") else f"https://example.org/{text}"
    if "BEGIN" not in text:
        assert said(remote(address)) == [("custom", "mcp.s.url")]


def test_a_folder_with_a_digit_before_a_colon_is_no_drive() -> None:
    assert passes(local(cwd="1:/x"))
