"""Migrations only grow, one after the other: two that follow the same one stop every start."""

import re
from itertools import pairwise

from tests.meta import sources


def test_every_migration_follows_the_one_before_it() -> None:
    paths = sorted((sources.ROOT / "fleets" / "migrations").glob("0*.py"))
    names = [path.stem for path in paths]
    after = {
        path.stem: set(re.findall(r"""\(["']fleets["'], ["'](\d{4}_\w+)["']\)""", path.read_text()))
        for path in paths
    }

    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert {name: after[name] for name in names[1:]} == {
        name: {before} for before, name in pairwise(names)
    }
