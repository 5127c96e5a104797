"""Plain tables on the terminal."""

import sys
from collections.abc import Sequence

from bench.machine import describe


def show(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> None:
    """Print a table in Markdown, so that it can be kept in the docs as it is."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    say(f"\n{title}\n{describe()}\n")
    for number, line in enumerate(lines):
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        say(f"| {' | '.join(cells)} |")
        if number == 0:
            say(f"|{'|'.join('-' * (width + 2) for width in widths)}|")
    if note:
        say(f"\n{note}")


def say(text: str) -> None:
    """Print at once, also into a file."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that `percent` of all are not above; 0 of none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
