"""The files of the repository, as git knows them."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that is committed or would be, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = filter(None, listed.stdout.decode().split("\0"))
    return tuple(sorted(Path(name) for name in names if (ROOT / name).is_file()))


def under(*folders: str, suffix: str = ".py") -> list[Path]:
    """Tracked files with this suffix below any of the folders."""
    return [
        path
        for path in tracked()
        if path.suffix == suffix and any(Path(folder) in path.parents for folder in folders)
    ]


def text(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(text(path), str(path))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file, methods and inner ones too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
