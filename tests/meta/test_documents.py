"""Documents agree with the code: names exist, links lead somewhere, words are used."""

import importlib
import re
from pathlib import Path

import pytest

from tests.meta import sources
from tests.meta.test_environment_example import documented

# The emulator's handbook names operations of the wire (`fleets.create`); its own tests hold it.
HANDBOOK = {Path("docs/emulator.md"), Path("emulator/handbook.md")}
DOCUMENTS = [path for path in sources.tracked() if path.suffix == ".md" and path not in HANDBOOK]
OURS = ("fleets", "fleetdash", "emulator", "tests", "bench", "static", "templates", "docs")
_CODE = re.compile(r"`([^`\n]+)`")
_DOTTED = re.compile(r"^(?:fleets|fleetdash)(?:\.\w+)+$")
_PATH = re.compile(rf"^(?:{'|'.join(OURS)})/[\w./-]*$")
_SETTING = re.compile(r"""(?:env\.\w+\(|required\(env,|boolean\(env,)\s*"([A-Z_]+)\"""")


def _quoted(path: Path) -> list[str]:
    return _CODE.findall(sources.text(path))


def _exists(name: str) -> bool:
    """Whether `a.b.c` is a module, or something in one."""
    module, rest = name, list[str]()
    while module:
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            rest.insert(0, last)
            continue
        for part in rest:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@pytest.mark.parametrize("path", DOCUMENTS, ids=str)
def test_every_name_of_code_in_a_document_exists(path: Path) -> None:
    gone = [name for name in _quoted(path) if _DOTTED.match(name) and not _exists(name)]
    gone += [
        name for name in _quoted(path) if _PATH.match(name) and not (sources.ROOT / name).exists()
    ]
    assert gone == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=str)
def test_every_link_within_the_project_leads_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", sources.text(path))
    here = (sources.ROOT / path).parent
    dead = [
        target
        for target in targets
        if not target.startswith(("http:", "https:")) and not (here / target).exists()
    ]
    assert dead == []


def test_the_check_of_names_can_fail() -> None:
    assert _exists("fleets.services.launch.launch_fleet")
    assert not _exists("fleets.services.launch.no_such_thing")
    assert not _exists("fleets.nowhere")


def test_every_setting_that_is_read_is_documented() -> None:
    read = {
        name for path in sources.under("fleetdash") for name in _SETTING.findall(sources.text(path))
    }
    assert len(read) > 12
    told = sources.text(Path("docs/architecture.md")) + sources.text(Path("docs/running.md"))
    assert {name for name in read if f"`{name}`" not in told} == set()
    assert read - set(documented()) == set()


def _words() -> dict[str, list[str]]:
    """The words of the glossary, each with the names of code beside it."""
    rows = re.findall(r"^\| (\*\*.+?) \| (.+) \|$", sources.text(Path("docs/glossary.md")), re.M)
    return {
        word: _CODE.findall(f"{left} {meaning}")
        for left, meaning in rows
        for word in re.findall(r"\*\*(.+?)\*\*", left)
    }


def test_the_glossary_has_no_word_that_nothing_uses() -> None:
    used = "\n".join(
        sources.text(path).lower()
        for path in [*sources.under("fleets", "fleetdash", "emulator"), *_templates()]
    ).replace("_", " ")
    assert len(_words()) > 40
    assert [word for word in _words() if word.lower() not in used] == []


def _templates() -> list[Path]:
    return sources.under("templates", suffix=".html")


def test_every_name_of_code_in_the_glossary_exists() -> None:
    code = "\n".join(sources.text(path) for path in sources.under("fleets", "emulator"))
    gone = {
        name
        for names in _words().values()
        for name in names
        if "/" not in name and not re.search(rf"\b{re.escape(name)}\b", code)
    }
    assert gone == set()


def test_every_model_is_a_word_of_the_glossary() -> None:
    from django.apps import apps

    told = {name for names in _words().values() for name in names}
    inner = {"TurnEvent", "FleetEvent", "User"}
    assert {model.__name__ for model in apps.get_app_config("fleets").get_models()} - inner <= told


def test_decisions_are_numbered_without_gaps_and_say_what_was_chosen() -> None:
    paths = sorted((sources.ROOT / "docs" / "decisions").glob("*.md"))
    assert [int(path.name[:4]) for path in paths] == list(range(1, len(paths) + 1))
    assert len(paths) >= 8
    for path in paths:
        text = path.read_text()
        assert text.startswith(f"# {int(path.name[:4])}. "), path.name
        assert "**Chosen.**" in text, path.name
        assert "**Costs.**" in text, path.name


def test_the_changelog_has_a_place_for_the_next_change_and_this_version() -> None:
    heads = re.findall(r"^## (.+)$", sources.text(Path("CHANGELOG.md")), re.M)
    version = re.search(r'^version = "(.+)"$', sources.text(Path("pyproject.toml")), re.M)
    assert version is not None
    assert heads[0] == "Unreleased"
    assert heads[1] == version[1]


def test_nothing_is_called_verified_that_nobody_ran_against_the_platform() -> None:
    for name in ("README.md", "docs/emulator.md", "CHANGELOG.md"):
        assert re.search(r"[Nn]othing\W.{0,20}(?:has )?been\s+verified", sources.text(Path(name)))
