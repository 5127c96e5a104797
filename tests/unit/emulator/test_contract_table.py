from pathlib import Path

from emulator.contract import BASES, OPERATIONS, PROVENANCE
from emulator.handbook import page
from emulator.handlers import HANDLERS

ROOT = Path(__file__).parents[3]


def test_every_operation_has_a_row_and_every_row_a_handler() -> None:
    assert sorted(HANDLERS) == sorted(operation.name for operation in OPERATIONS)


def test_rows_are_complete_and_routes_differ() -> None:
    assert all(one.base in BASES and one.provenance in PROVENANCE for one in OPERATIONS)
    assert all(one.note and one.section and one.date for one in OPERATIONS)
    assert len({(one.method, one.base, one.path) for one in OPERATIONS}) == len(OPERATIONS)


def test_page_in_docs_is_current() -> None:
    assert (ROOT / "docs" / "emulator.md").read_text(encoding="utf-8") == page()


def test_page_says_that_nothing_is_verified() -> None:
    assert "0 verified" in page()


def test_emulator_files_stay_below_their_limit() -> None:
    for path in (ROOT / "emulator").rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 250, path.name
