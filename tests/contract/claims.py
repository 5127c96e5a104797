"""Which rows of the contract table the tests of this folder say they call, and with what right."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
# A docstring that names a row of section 10 quotes a choice of ours.
OURS = ("10 row", "10 rows")


@dataclass(frozen=True, slots=True)
class Claim:
    """One test: its marker, the rows it covers, and where it says that its facts come from."""

    test: str
    markers: frozenset[str]
    covers: tuple[str, ...]
    quotes: str

    @property
    def is_sourced(self) -> bool:
        return "from_source" in self.markers

    @property
    def quotes_ours(self) -> bool:
        return any(word in self.quotes for word in OURS)


def claims(folder: Path = HERE) -> list[Claim]:
    """Every test function of the folder's files."""
    return [claim for path in sorted(folder.glob("test_*.py")) for claim in of_file(path)]


def of_file(path: Path) -> Iterator[Claim]:
    """The claims of one file; a `pytestmark` counts for all its tests."""
    tree = ast.parse(path.read_text())
    shared = [
        found
        for node in tree.body
        if isinstance(node, ast.Assign) and _is_named(node.targets[0], "pytestmark")
        for found in _marks(node.value)
    ]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            own = [found for one in node.decorator_list for found in _marks(one)]
            marks = [*shared, *own]
            yield Claim(
                test=f"{path.name}::{node.name}",
                markers=frozenset(name for name, _rows in marks),
                covers=tuple(row for name, rows in marks if name == "covers" for row in rows),
                quotes=ast.get_docstring(node) or "",
            )


def _marks(node: ast.expr) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`pytest.mark.name` or `pytest.mark.name("row", …)`."""
    call = node if isinstance(node, ast.Call) else None
    named = call.func if call is not None else node
    if isinstance(named, ast.Attribute) and ast.unparse(named.value) == "pytest.mark":
        rows = [one.value for one in call.args if isinstance(one, ast.Constant)] if call else []
        yield named.attr, tuple(row for row in rows if isinstance(row, str))


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
