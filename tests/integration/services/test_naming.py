"""Two presses of one button make two names, and neither breaks."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from fleets.domain.status import Role
from fleets.services.actor import Actor
from fleets.services.definitions import create_definition
from fleets.services.profiles import create_profile, organisation_catalog
from tests.factories import UserFactory


@pytest.mark.django_db(transaction=True)
def test_makers_of_the_same_name_at_once_get_a_name_each() -> None:
    actor = Actor(UserFactory(role=Role.OPERATOR), "browser")
    catalog = organisation_catalog()
    recipe = {"name": "Twice", "agents": {"count": 2}, "message": "hi", "budgetUsd": "1"}

    def make(_: int) -> tuple[str, str]:
        try:
            profile = create_profile(catalog=catalog, body={"name": "Twice"}, actor=actor)
            return profile.slug, create_definition(body=recipe, actor=actor).slug
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(make, range(3)))
    names = {"twice", "twice-2", "twice-3"}
    assert {profile for profile, _ in made} == {definition for _, definition in made} == names
