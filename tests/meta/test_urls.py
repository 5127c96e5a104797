"""Every address is guarded or said to be public, and stands in the table of pages."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver

from tests.browser.pages import NO_PAGES, PAGES, PUBLIC


def _patterns() -> Iterator[tuple[str, URLPattern]]:
    yield from _below("", get_resolver())


def _below(prefix: str, resolver: URLResolver) -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            space = f"{entry.namespace}:" if entry.namespace else ""
            yield from _below(prefix + space, entry)
        else:
            yield f"{prefix}{entry.name}", entry


def _names() -> set[str]:
    return {name for name, _ in _patterns()}


def test_every_address_has_a_name_of_its_own() -> None:
    names = [name for name, _ in _patterns()]
    assert len(names) > 20
    assert sorted(names) == sorted(set(names))
    assert not [name for name in names if name.endswith("None")]


def test_every_address_is_guarded_or_on_the_public_list() -> None:
    unguarded = {name for name, entry in _patterns() if not hasattr(entry.callback, "guard")}
    assert unguarded == PUBLIC


def test_every_address_is_a_page_of_the_table_or_said_to_be_none() -> None:
    pages = {page.url_name for page in PAGES}
    assert _names() - pages - set(NO_PAGES) == set()
    assert pages & set(NO_PAGES) == set()


def test_the_tables_name_nothing_that_is_gone() -> None:
    assert ({page.url_name for page in PAGES} | set(NO_PAGES) | PUBLIC) - _names() == set()


def test_no_two_rows_of_the_table_have_the_same_name() -> None:
    names = [page.name for page in PAGES]
    assert sorted(names) == sorted(set(names))


def test_a_views_name_is_its_addresss_name() -> None:
    ours = [(name, entry) for name, entry in _patterns() if name.startswith("fleets:")]
    differing = {
        name
        for name, entry in ours
        if hasattr(entry.callback, "guard")
        and name.removeprefix("fleets:") != entry.callback.__name__
    }
    assert differing == set()
