"""Rules of style that no linter knows, over the text and the syntax of every file."""

import ast
import re
from pathlib import Path

import pytest

from tests.meta import sources

TESTS = [path for path in sources.under("tests") if path.name.startswith("test_")]
PRODUCT = ("fleets", "fleetdash", "emulator")
# This file has to name what it forbids.
ITSELF = Path("tests/meta/test_house_rules.py")

# Words that would tell of a machine, an index or an errand instead of the product.
FORBIDDEN_TEXT = {
    "a path of one machine": re.compile(r"(?<![\w./-])/(?:work|root|home/\w+)/"),
    "the address of a package index": re.compile(
        r"--(?:extra-)?index-url[ =]|https?://[\w.-]*(?:pypi|pythonhosted)[\w.-]*", re.IGNORECASE
    ),
    "a part of an errand": re.compile(r"\bPart [0-9]+\b"),
    "the number of an issue": re.compile(r"(?i)\bissue\s+#?[0-9]+\b|\(#[0-9]+\)"),
    "work left for later": re.compile(r"(?:#|//|/\*|<!--).*\b(?:TODO|FIXME|XXX)\b"),
}


def _texts() -> list[Path]:
    known = {".py", ".md", ".html", ".js", ".css", ".toml", ".yml", ".lock", ".example", ""}
    return [
        path
        for path in sources.tracked()
        if path.suffix in known and path != ITSELF and Path("static/vendor") not in path.parents
    ]


def _calls(path: Path) -> list[ast.Call]:
    return [node for node in ast.walk(sources.tree(path)) if isinstance(node, ast.Call)]


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func)


@pytest.mark.parametrize("what", FORBIDDEN_TEXT)
def test_no_file_contains(what: str) -> None:
    found = {
        f"{path}: {match.group(0)}"
        for path in _texts()
        for match in FORBIDDEN_TEXT[what].finditer(sources.text(path))
    }
    assert found == set()


def test_every_test_is_named_by_a_sentence() -> None:
    short = {
        f"{path}:{function.name}"
        for path in TESTS
        for function in sources.functions(path)
        if function.name.startswith("test_") and function.name.count("_") < 3
    }
    assert short == set()


def test_every_skip_says_why() -> None:
    silent = {
        f"{path}:{call.lineno}"
        for path in sources.under("tests")
        for call in _calls(path)
        if _name(call).endswith(("mark.skip", "mark.skipif", "mark.xfail", "pytest.skip"))
        and not any(word.arg == "reason" for word in call.keywords)
        and not (_name(call) == "pytest.skip" and call.args)
    }
    assert silent == set()
    bare = re.compile(r"@pytest\.mark\.(?:skip|xfail)$", re.MULTILINE)
    assert [str(path) for path in TESTS if bare.search(sources.text(path))] == []


def test_celery_is_never_eager() -> None:
    word = re.compile(r"task_always_eager\s*[=:]", re.IGNORECASE)
    everything = [path for path in sources.under(*PRODUCT, "tests") if path != ITSELF]
    assert [str(path) for path in everything if word.search(sources.text(path))] == []


def test_no_test_replaces_a_function_of_ours() -> None:
    ours = re.compile(r"""(?:mock\.|mocker\.)?patch(?:\.object)?\(\s*["']?(?:fleets|emulator)\b""")
    found = {str(path) for path in sources.under("tests") if ours.search(sources.text(path))}
    assert found - {str(ITSELF)} == set()
    imported = re.compile(
        r"^(?:from unittest(?:\.mock)? import|import unittest\.mock)", re.MULTILINE
    )
    assert [str(path) for path in TESTS if imported.search(sources.text(path))] == []


def test_a_test_of_a_unit_touches_nothing_and_waits_for_nothing() -> None:
    words = r"django_db|transactional_db|redis_client|EmulatorThread|sleep\((?!0\))"
    found = {
        f"{path}: {match.group(0)}"
        for path in sources.under("tests/unit")
        for match in re.finditer(rf"\b(?:{words})", sources.text(path))
    }
    assert found == set()


def test_every_folder_of_tests_is_one_that_is_run() -> None:
    known = {"unit", "integration", "contract", "browser", "meta", "support", "soak"}
    folders = {path.parts[1] for path in sources.under("tests") if len(path.parts) > 2}
    assert folders <= known


def test_every_test_of_views_meets_the_whole_cast() -> None:
    lonely = [
        str(path)
        for path in sources.under("tests/integration/views")
        if path.name.startswith("test_") and ".expect(" not in sources.text(path)
    ]
    assert lonely == []


def test_tasks_and_commands_only_call() -> None:
    """What writes is a service: no door saves a row by itself."""
    writing = re.compile(
        r"\.objects\.(?:create|bulk_create|update_or_create|get_or_create)\(|\.save\("
    )
    doors = ("fleets/views", "fleets/tasks", "fleets/management", "fleets/forms", "fleets/live")
    readers = ("fleets/selectors", "fleets/templatetags")
    found = {
        str(path) for path in sources.under(*doors, *readers) if writing.search(sources.text(path))
    }
    assert found == set()


def test_every_public_thing_of_the_product_says_what_it_is() -> None:
    silent = {
        f"{path}:{node.name}"
        for path in sources.under("fleets/domain", "fleets/services", "fleets/platform_api")
        for node in sources.tree(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    }
    assert silent == set()


def test_every_module_says_its_subject() -> None:
    silent = [
        str(path)
        for path in sources.under(*PRODUCT)
        if sources.text(path).strip()
        and "migrations" not in path.parts
        and not ast.get_docstring(sources.tree(path))
    ]
    assert silent == []
