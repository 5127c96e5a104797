"""Every row of the contract table has a contract test, and the sourced ones an honest one."""

import re
from pathlib import Path

import pytest

from emulator.contract import OPERATIONS
from tests.contract.claims import Claim, claims, of_file

pytestmark = pytest.mark.emulator_only
SOURCED = {row.name for row in OPERATIONS if row.provenance in {"D", "C"}}
CLAIMS = claims()


def covered(by: list[Claim]) -> set[str]:
    return {row for claim in by for row in claim.covers}


def test_every_row_has_a_test_that_the_service_could_be_asked() -> None:
    asked = [claim for claim in CLAIMS if "emulator_only" not in claim.markers]
    assert {row.name for row in OPERATIONS} - covered(asked) == set()


def test_no_test_claims_a_row_that_does_not_exist() -> None:
    assert covered(CLAIMS) - {row.name for row in OPERATIONS} == set()


def test_a_documented_or_seen_row_has_a_test_that_quotes_no_choice_of_ours() -> None:
    honest = [claim for claim in CLAIMS if claim.is_sourced and not claim.quotes_ours]
    assert SOURCED - covered(honest) == set()


def test_whatever_is_from_a_source_says_which_section() -> None:
    silent = [
        claim.test
        for claim in CLAIMS
        if claim.is_sourced and claim.covers and not re.match(r"Contract \d", claim.quotes)
    ]
    assert silent == []


def test_whatever_is_from_a_source_quotes_no_choice_of_ours() -> None:
    assert [claim.test for claim in CLAIMS if claim.is_sourced and claim.quotes_ours] == []


def test_nothing_is_called_verified() -> None:
    """Nobody has run these against the service; docs/contract_tests.md says what would have to."""
    assert [claim.test for claim in CLAIMS if "verified" in claim.markers] == []


def test_the_reading_of_claims_can_fail(tmp_path: Path) -> None:
    path = tmp_path / "test_one.py"
    path.write_text(
        "pytestmark = pytest.mark.our_choice\n"
        '@pytest.mark.covers("a.b", "c.d")\n'
        "def test_it(platform):\n"
        '    """Contract 10 row 3."""\n'
    )
    (claim,) = of_file(path)
    assert claim.markers == {"our_choice", "covers"}
    assert (claim.covers, claim.quotes_ours, claim.is_sourced) == (("a.b", "c.d"), True, False)
