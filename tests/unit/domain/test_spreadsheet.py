"""Cells of a CSV file never run in a spreadsheet."""

import pytest

from fleets.domain.spreadsheet import safe_cell


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\r=x", "  =x", "\n=x"])
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "nightly-review", "a=b", "1+1", "$3.00", "— none"])
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert safe_cell(text) == text
