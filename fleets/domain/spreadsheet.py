"""Text for the cells of a CSV file that somebody opens in a spreadsheet."""

from typing import Final

# A cell that begins with one of these is taken for a formula, and a formula can reach out.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_cell(text: str) -> str:
    """The text, with an apostrophe before it where a spreadsheet would run it as a formula."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text
