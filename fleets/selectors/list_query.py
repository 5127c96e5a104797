"""The query string of a list: cleaned when it is read, without its defaults when it is written."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

MOST_QUERY_CHARS: Final = 200
_MOST_SHOWN: Final = 40


def given_words(params: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """What stands under each name, without NUL and outer spaces, cut; "" where nothing does."""
    clean = ((name, params.get(name, "").replace("\0", "").strip()) for name in names)
    return {name: text[:MOST_QUERY_CHARS] for name, text in clean}


def known_sort(sort: str, *, known: Collection[str], default: str) -> tuple[str, tuple[str, ...]]:
    """The order asked for ("-" before it: descending), and a sentence where the default is taken
    because the list has no such order."""
    if not sort:
        return default, ()
    if sort.removeprefix("-") in known:
        return sort, ()
    return default, (f"The list cannot be sorted by “{sort[:_MOST_SHOWN]}”.",)


def query_string(pairs: Mapping[str, str], *, default_sort: str) -> str:
    """The pairs as a query string; empty ones and the default order are left out."""
    said = {**pairs, "sort": "" if pairs["sort"] == default_sort else pairs["sort"]}
    return urlencode({key: value for key, value in said.items() if value})
