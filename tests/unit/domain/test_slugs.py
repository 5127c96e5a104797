"""Ids that names suggest fit the platform, and are found free."""

from hypothesis import given
from hypothesis import strategies as st

from fleets.domain.slugs import first_free, is_slug, slug_of


@given(st.text(max_size=90))
def test_what_a_name_suggests_is_an_id_or_nothing(name: str) -> None:
    slug = slug_of(name)
    assert slug == "" or is_slug(slug)


@given(st.text(alphabet="ab-", min_size=1, max_size=90), st.integers(1, 12))
def test_one_of_the_same_name_always_gets_an_id_of_its_own(name: str, copies: int) -> None:
    wanted = slug_of(name) or "definition"
    taken: set[str] = set()
    for _ in range(copies):
        taken.add(first_free(wanted, taken=taken))
    assert len(taken) == copies
    assert all(is_slug(slug) for slug in taken)
    assert wanted in taken
