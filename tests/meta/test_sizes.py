"""Files and functions stay small: one subject each, readable in one sitting."""

from pathlib import Path
from statistics import median

from tests.meta import sources

# The first folder that fits decides.
LIMITS = (
    ("fleets/migrations", ".py", 1000),
    ("fleetdash/settings.py", ".py", 300),
    ("emulator", ".py", 250),
    ("tests", ".py", 500),
    ("templates", ".html", 150),
    ("static/js", ".js", 100),
    ("static/css", ".css", 400),
    ("", ".py", 400),
)
LONGEST_FUNCTION = 60
LONGEST_VIEW = 45
MEDIAN_FILE = 120


def _limit(path: Path) -> int | None:
    for folder, suffix, lines in LIMITS:
        is_below = Path(folder) in path.parents or path == Path(folder)
        if path.suffix == suffix and is_below:
            return lines
    return None


def _lines(path: Path) -> int:
    return len(sources.text(path).splitlines())


def _code() -> list[Path]:
    return [path for path in sources.tracked() if Path("static/vendor") not in path.parents]


def test_no_file_is_longer_than_its_kind_allows() -> None:
    over = {
        str(path): f"{_lines(path)} of {limit}"
        for path in _code()
        if (limit := _limit(path)) is not None and _lines(path) > limit
    }
    assert over == {}


def test_the_middle_file_is_short() -> None:
    sizes = [_lines(path) for path in sources.under("fleets", "fleetdash", "emulator")]
    assert median(size for size in sizes if size) <= MEDIAN_FILE


def test_no_function_is_longer_than_a_screen() -> None:
    folders = ("fleets", "fleetdash", "emulator", "tests")
    over = {
        f"{path}:{function.name}": length
        for path in sources.under(*folders)
        for function in sources.functions(path)
        if (length := (function.end_lineno or 0) - function.lineno + 1) > LONGEST_FUNCTION
    }
    assert over == {}


def test_views_read_top_to_bottom() -> None:
    over = {
        f"{path}:{function.name}": length
        for path in sources.under("fleets/views")
        for function in sources.functions(path)
        if (length := (function.end_lineno or 0) - function.lineno + 1) > LONGEST_VIEW
    }
    assert over == {}


def test_no_file_has_a_name_that_says_nothing() -> None:
    forbidden = {"utils", "helpers", "common", "misc", "util", "helper"}
    assert [str(path) for path in sources.tracked() if path.stem in forbidden] == []
